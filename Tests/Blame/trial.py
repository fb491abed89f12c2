# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""One trial, in a network namespace of its own: a fault, and what reachd says of it. Prints the result as JSON.

    trial.py REACHD FOLDER FAULT TARGETS FAMILY SETTINGS
"""
import collections
import json
import sys
import time

import checks
import faults
import monitor
import network
import receiver

HOOK = 9000

#: Interval, timeout, failures and the interval of confirmations, in seconds; what reachd is told of them.
SETTINGS = {
    "fast": (2, 1, 3, 0.5, ", interval: 2s, timeout: 1s, fall: 3, confirm_interval: 500ms"),
    "fall1": (2, 1, 1, 0.5, ", interval: 2s, timeout: 1s, fall: 1, confirm_interval: 500ms"),
    "defaults": (30, 5, 3, 5, ""),
}


def configuration(targets, settings):
    """The configuration with some targets; the receiver has all defaults."""
    lines = [f"notify: [ {{ name: all, webhook: {{ url: 'http://127.0.0.1:{HOOK}/' }} }} ]", "targets:"]
    lines += [f"  - {{ id: {name}, address: '{address}', probe: {{ type: tcp, port: {network.PORT}{SETTINGS[settings][4]} }} }}"
              for name, address in targets.items()]
    return "\n".join(lines) + "\n"


class Trial:
    def __init__(self, binary, folder, fault, count, family, settings):
        self.fault, self.settings = faults.FAULTS[fault], settings
        self.facts = {"fault": fault, "targets": count, "family": f"ipv{family}", "settings": settings}
        self.interval, timeout, fall, confirm, _ = SETTINGS[settings]
        #: Until when the last verdict should be there, with a second for each step on a busy machine.
        self.bound = 1.1 * self.interval + fall * (timeout + confirm + 1) + 2.5 + 5
        self.network = network.Network(family, count, **self.fault.network)
        hosts = {f"t{number}": address for number, address in enumerate(self.network.hosts, 1)}
        self.near = {f"{router}-near": addresses[0] for router, addresses in self.network.near.items()}
        self.affected = {"hosts": list(hosts), "all": [*hosts, *self.near], "first": ["t1"]}[self.fault.affected]
        self.ways = [[name for name, address in hosts.items() if address in group]
                     for group in (self.network.hosts[first::4] for first in range(min(4, count)))]
        self.receiver = receiver.Receiver(HOOK)
        self.monitor = monitor.Monitor(binary, folder, configuration(hosts | self.near, settings))

    def run(self):
        start = self.monitor
        if not monitor.wait(self.is_well, self.bound + 60):
            raise RuntimeError(f"not up before the fault: {self.states(start.targets())}")
        # A good trace of each way, and a few more.
        self.facts["traced"] = monitor.wait(self.are_traced, 30, pause=1)
        time.sleep(4)
        self.begun, sent, reports = time.time(), self.network.sent(), self.network.reports()
        self.fault.begin(self.network)
        self.settle()
        if self.fault.then:
            self.facts["incident_before"] = self.open_incident()
            getattr(self, self.fault.then)()
            self.settle()
        self.facts |= {"packets": self.network.sent() - sent, "reports": self.network.reports() - reports}
        self.note_outage()
        ended = time.time()
        self.facts["outage_seconds"] = round(ended - self.begun, 1)
        self.fault.end(self.network)
        self.facts["recovered"] = monitor.wait(lambda: self.is_well() and not self.open_incident(), self.bound + 30)
        self.facts["recovery_seconds"] = round(time.time() - ended, 1)
        time.sleep(3)
        self.note_end()
        self.facts["failures"] = checks.failures(self.facts, self.fault, self.bound)
        return self.facts

    # What happens

    def restart(self):
        """A crash in the middle of the outage."""
        self.monitor.kill()
        self.monitor.start()
        # All targets must have been probed more than once.
        time.sleep(self.bound)

    def again(self):
        """The same fault again, as soon as all is well."""
        self.fault.end(self.network)
        if not monitor.wait(lambda: self.is_well() and not self.open_incident(), self.bound + 30):
            raise RuntimeError("not up between the two outages")
        self.fault.begin(self.network)

    def settle(self):
        """Waits until all verdicts are there and nothing has changed for a while, within bounds."""
        quiet = 12  # The first message waits 10 s for further targets.
        begin = changed = time.monotonic()
        last = None
        while True:
            now, targets = time.monotonic(), self.monitor.targets()
            picture = ([(target["state"], target.get("cause")) for target in targets.values()],
                       [(incident["id"], incident["state"], incident["kind"]) for incident in self.monitor.incidents()])
            if picture != last:
                last, changed = picture, now
            is_complete = not self.fault.is_certain or all(targets[name]["state"] not in ("up", "unknown") for name in self.affected)
            has_settled = now - changed >= quiet and is_complete
            if now - begin >= self.fault.lasts and (has_settled or now - begin > self.fault.lasts + self.bound + 20):
                return
            time.sleep(0.5)

    # What is seen

    def is_well(self):
        # The service answers before it has its targets.
        targets = self.monitor.targets().values()
        return bool(targets) and all(target["state"] == "up" for target in targets)

    def are_traced(self):
        return all(any("last_good" in self.monitor.get(f"/targets/{name}/trace") for name in way) for way in self.ways)

    def open_incident(self):
        """The id of the open incident with most targets."""
        open_ones = [incident for incident in self.monitor.incidents() if incident["state"] == "open"]
        return max(open_ones, key=lambda incident: incident["targets"]["failing"])["id"] if open_ones else None

    @staticmethod
    def states(targets):
        return dict(collections.Counter(f"{target['state']} ({target['cause']})" if "cause" in target else target["state"]
                                        for target in targets.values()))

    def note_outage(self):
        """What reachd says before the fault ends."""
        targets, incidents = self.monitor.targets(), self.monitor.incidents()
        messages = self.receiver.messages()
        words = self.fault.names(self.network)

        def is_named(incident):
            return any(word in f"{incident['title']} {incident.get('subject', '')} " for word in words)

        largest = max(incidents, key=lambda incident: (incident["state"] == "open", incident["targets"]["total"]), default=None)
        self.facts |= {
            "states": self.states({name: targets[name] for name in self.affected}),
            "reasons": dict(collections.Counter(target["reason"]["detail"].replace(name, "T") for name, target in targets.items()
                                                if name in self.affected and "reason" in target).most_common(4)),
            "incidents": [{key: incident.get(key) for key in ("id", "kind", "subject", "title", "state", "severity", "cause", "targets")}
                          for incident in incidents],
            "incident_after": self.open_incident(),
            "messages": len(messages),
            "title": largest["title"] if largest else None,
            "severity": largest["severity"] if largest else None,
            "is_named": is_named(largest) if largest else None,
        }
        results = [data["result"] | {"target": data["target"]} for data in self.monitor.of("result", self.begun)]
        failed = [result for result in results if not result["success"] and result["target"] in self.affected]
        # Without a route no probe is sent, and a verdict needs none.
        first = min((monitor.seconds(result["at"]) - result.get("duration_seconds", 0) for result in failed), default=self.begun)
        verdicts, right = {}, {}
        for event in self.monitor.of("state", self.begun):
            if event["target"] in self.affected:
                # Of two outages, the first one.
                if event["to"] not in ("up", "unknown"):
                    verdicts.setdefault(event["target"], monitor.seconds(event["at"]))
                if f"{event['to']} ({event.get('cause')})" == self.fault.state:
                    right.setdefault(event["target"], monitor.seconds(event["at"]))
        named = [monitor.seconds(data["at"]) for data in self.monitor.of("incident", self.begun) if is_named(data["incident"])]
        for name, times in (("first_verdict", verdicts.values()), ("named", named)):
            self.facts[name] = round(min(times) - first, 2) if times else None
        for name, times in (("last_verdict", verdicts), ("last_right_verdict", right)):
            self.facts[name] = round(max(times.values()) - first, 2) if times else None

    def note_end(self):
        """What reachd has said in all."""
        messages = self.receiver.messages()
        dead = {"t1"} if self.fault.affected == "first" else set()
        events = self.monitor.of("state", self.begun)
        down = {event["target"] for event in events if event["to"] == "down"}
        self.facts |= {
            "false_down": len(down - dead),
            "missed_down": sum(count for state, count in self.facts["states"].items() if not state.startswith("down")) if dead else 0,
            "others_failed": len({event["target"] for event in events if event["to"] in ("down", "unreachable")} - set(self.affected)),
            "state_events": len(events),
            "total_incidents": len(self.monitor.incidents()),
            "total_messages": len(messages),
            "critical": sum(message["status"] == "firing" and message["severity"] == "critical" for message in messages),
            "texts": [f"{message['status']}, {message['severity']}: {message['text']}" for message in messages[:12]],
            "resolved_early": sum(message["status"] == "resolved" for message in messages[:self.facts["messages"]]),
        }

    def close(self):
        self.monitor.close()
        self.network.close()


def main():
    binary, folder, fault, count, family, settings = sys.argv[1:]
    trial = Trial(binary, folder, fault, int(count), int(family), settings)
    try:
        print(json.dumps(trial.run()))
    finally:
        trial.close()


if __name__ == "__main__":
    main()
