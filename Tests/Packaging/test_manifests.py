# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The manifests for Kubernetes and compose, against their schemas and against each other."""

import json
import os
import re
import subprocess
import unittest

import kubernetes_validate
import yaml
from support import PROJECT, REACHD, run

KUBERNETES = PROJECT / "config/kubernetes"
FILES = [path for path in sorted(KUBERNETES.glob("*.yaml")) if path.name != "kustomization.yaml"]
FLEET = [path for path in sorted(KUBERNETES.glob("fleet/*.yaml")) if path.name != "kustomization.yaml"]
# The first version with sidecars, and a recent one.
VERSIONS = ("1.29", "1.35")
DOCKERFILE = (PROJECT / "Dockerfile").read_text()


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def pods(files=FILES):
    """Every pod template, with its file and object."""
    for path in files:
        for document in documents(path):
            if "template" in document.get("spec", {}):
                yield path.name, document, document["spec"]["template"]["spec"]


def services(name):
    """The services of a compose file."""
    return yaml.safe_load((PROJECT / "config/compose" / name).read_text())["services"]


class Kubernetes(unittest.TestCase):
    def test_schemas(self):
        """Every object of Kubernetes itself satisfies the schemas."""
        for path in FILES + FLEET:
            for document in documents(path):
                if document["apiVersion"].startswith("postgresql.cnpg.io/"):
                    continue
                for version in VERSIONS:
                    with self.subTest(file=path.name, kind=document["kind"], version=version):
                        kubernetes_validate.validate(document, version, strict=True)

    def test_schema_finds_a_fault(self):
        """The validator refuses a misspelt key."""
        document = documents(KUBERNETES / "deployment.yaml")[0]
        document["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(document, VERSIONS[0], strict=True)

    def test_restricted(self):
        """All pods satisfy the Pod Security Standard `restricted`, except for the host's network in daemonset.yaml."""
        for name, _, pod in pods(FILES + FLEET):
            with self.subTest(file=name):
                self.assertEqual(pod.get("hostNetwork", False), name == "daemonset.yaml")
                # Only discovery asks the API server.
                self.assertIs(pod["automountServiceAccountToken"], name == "discovery.yaml")
                self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
                for container in pod["containers"] + pod.get("initContainers", []):
                    context = container["securityContext"]
                    self.assertIs(context["allowPrivilegeEscalation"], False)
                    self.assertIs(context["readOnlyRootFilesystem"], True)
                    self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
                    self.assertIn("memory", container["resources"]["limits"])
                for volume in pod["volumes"]:
                    self.assertEqual(len({"emptyDir", "configMap", "secret"} & volume.keys()), 1, volume)
                for sysctl in pod["securityContext"].get("sysctls", []):
                    self.assertFalse(pod.get("hostNetwork", False))
                    self.assertEqual(sysctl["name"], "net.ipv4.ping_group_range")

    def test_references(self):
        """Names, labels, ports and volumes match each other and the image."""
        everything = [document for path in FILES for document in documents(path)]
        maps = {document["metadata"]["name"] for document in everything if document["kind"] == "ConfigMap"}
        user = int(re.search(r"^USER (\d+):", DOCKERFILE, re.MULTILINE)[1])
        for name, document, pod in pods():
            with self.subTest(file=name):
                self.assertEqual(
                    document["spec"]["selector"]["matchLabels"], document["spec"]["template"]["metadata"]["labels"]
                )
                self.assertEqual(pod["securityContext"]["runAsUser"], user)
                volumes = {volume["name"]: volume for volume in pod["volumes"]}
                for volume in volumes.values():
                    if "configMap" in volume:
                        self.assertIn(volume["configMap"]["name"], maps)
                containers = [c for c in pod["containers"] + pod.get("initContainers", []) if c["name"] == "reachd"]
                self.assertEqual(len(containers), 1)
                mounts = {mount["mountPath"] for mount in containers[0]["volumeMounts"]}
                self.assertEqual(mounts, {"/etc/reachd", "/var/lib/reachd"})
                self.assertEqual({m["name"] for m in containers[0]["volumeMounts"]}, volumes.keys())
                ports = {port["name"]: port["containerPort"] for port in containers[0]["ports"]}
                self.assertEqual(list(ports.values()), [7532])
                for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                    self.assertIn(containers[0][probe]["httpGet"]["port"], ports)
        service = documents(KUBERNETES / "service.yaml")[0]
        deployment = documents(KUBERNETES / "deployment.yaml")[0]
        self.assertEqual(service["spec"]["selector"], deployment["spec"]["template"]["metadata"]["labels"])
        policy = documents(KUBERNETES / "networkpolicy.yaml")[0]
        labels = deployment["spec"]["template"]["metadata"]["labels"].items()
        self.assertLessEqual(policy["spec"]["podSelector"]["matchLabels"].items(), labels)
        kustomization = documents(KUBERNETES / "kustomization.yaml")[0]
        self.assertEqual(
            set(kustomization["resources"]),
            {path.name for path in FILES} - {"daemonset.yaml", "discovery.yaml", "sidecar.yaml"},
        )
        self.assertEqual(
            [image["name"] for image in kustomization["images"]],
            [pod["containers"][0]["image"].split(":")[0] for _, _, pod in pods() if pod["containers"][0]["name"] == "reachd"][:1],
        )

    def test_rights(self):
        """The service account of discovery may list and watch the four resources, and its objects refer to each other."""
        objects = {document["kind"]: document for document in documents(KUBERNETES / "discovery.yaml")}
        rights = {
            (group, resource): rule["verbs"]
            for rule in objects["ClusterRole"]["rules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
        }
        resources = [("", "services"), ("", "nodes"), ("networking.k8s.io", "ingresses")]
        resources += [("gateway.networking.k8s.io", "httproutes")]
        self.assertEqual(rights, dict.fromkeys(resources, ["list", "watch"]))
        account = objects["ServiceAccount"]["metadata"]
        self.assertEqual(
            objects["ClusterRoleBinding"]["subjects"],
            [{"kind": "ServiceAccount", "name": account["name"], "namespace": account["namespace"]}],
        )
        self.assertEqual(
            objects["ClusterRoleBinding"]["roleRef"],
            {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": objects["ClusterRole"]["metadata"]["name"],
            },
        )
        deployment = objects["Deployment"]
        pod = deployment["spec"]["template"]
        self.assertEqual(pod["spec"]["serviceAccountName"], account["name"])
        self.assertEqual(deployment["metadata"]["namespace"], account["namespace"])
        self.assertEqual(objects["Service"]["spec"]["selector"], pod["metadata"]["labels"])

    def test_configurations(self):
        """reachd accepts every configuration in the manifests."""
        for path in FILES:
            for document in documents(path):
                if document["kind"] == "ConfigMap":
                    with self.subTest(file=path.name):
                        run(REACHD, "validate", "/dev/stdin", input=document["data"]["reachd.yaml"])


class KubernetesFleet(unittest.TestCase):
    def setUp(self):
        self.objects = {(o["kind"], o["metadata"]["name"]): o for path in FLEET for o in documents(path)}
        self.sets = [o for (kind, _), o in self.objects.items() if kind == "StatefulSet"]

    def test_all_are_applied(self):
        """The kustomization lists every file."""
        kustomization = documents(KUBERNETES / "fleet/kustomization.yaml")[0]
        self.assertEqual(set(kustomization["resources"]), {path.name for path in FLEET})

    def test_locations(self):
        """The locations differ in their name and zone only; each has a claim for the log and a budget of one node."""
        texts = {}
        for name, zone in (("berlin", "a"), ("paris", "b")):
            text = (KUBERNETES / f"fleet/{name}.yaml").read_text()
            texts[name] = text.replace(name, "NAME").replace(f"zone-{zone}", "ZONE")
            location = self.objects["StatefulSet", f"reachd-{name}"]
            labels = location["spec"]["template"]["metadata"]["labels"]
            self.assertEqual(location["spec"]["selector"]["matchLabels"], labels)
            budget = self.objects["PodDisruptionBudget", f"reachd-{name}"]["spec"]
            self.assertEqual(budget, {"maxUnavailable": 1, "selector": {"matchLabels": labels}})
            self.assertGreater(location["spec"]["replicas"], 1)
            claims = {claim["metadata"]["name"] for claim in location["spec"]["volumeClaimTemplates"]}
            mounts = {mount["mountPath"]: mount["name"] for mount in self.container(location)["volumeMounts"]}
            self.assertIn(mounts["/var/lib/reachd"], claims)
        self.assertEqual(texts["berlin"], texts["paris"])
        self.assertEqual(len(self.sets), 2)

    def test_references(self):
        """Secrets, services, volumes and the database's names are those of other objects, or of CloudNativePG."""
        database = self.objects["Cluster", "reachd-database"]["spec"]
        role = database["managed"]["roles"][0]
        self.assertTrue(database["enableSuperuserAccess"])
        secrets = {role["passwordSecret"]["name"], "reachd-database-superuser", "reachd-database-ca"}
        for name, workload, pod in pods(FLEET):
            with self.subTest(file=name):
                claims = workload["spec"].get("volumeClaimTemplates", [])
                volumes = {volume["name"] for volume in pod["volumes"]} | {claim["metadata"]["name"] for claim in claims}
                self.assertEqual({mount["name"] for mount in self.container(workload)["volumeMounts"]}, volumes)
                paths = [mount["mountPath"] for mount in self.container(workload)["volumeMounts"]]
                for volume in pod["volumes"]:
                    if "secret" in volume:
                        self.assertIn(volume["secret"]["secretName"], secrets)
                        # Readable by the group of the pod, and by nobody else.
                        self.assertIn(volume["secret"].get("defaultMode", 0o440), (0o440,))
                    if "configMap" in volume:
                        self.assertIn(("ConfigMap", volume["configMap"]["name"]), self.objects)
                uri, password = self.connection(workload)
                user, host, name, authority = re.fullmatch(r"postgresql://(\w+)@([\w-]+)/(\w+)\?sslrootcert=(\S+)", uri).groups()
                self.assertEqual((host, name), ("reachd-database-rw", database["bootstrap"]["initdb"]["database"]))
                self.assertIn(user, (role["name"], "postgres"))
                for file in (authority, password):
                    self.assertIn(file.rsplit("/", 1)[0], paths)
        for location in self.sets:
            service = self.objects["Service", location["spec"]["serviceName"]]["spec"]
            self.assertEqual(service["clusterIP"], "None")
            environment = self.environment(location)
            self.assertIn(f".{location['spec']['serviceName']}:7532", environment["REACHD_FLEET_URL"])
            for name in ("reachd-nodes", "reachd-fleet"):
                labels = location["spec"]["template"]["metadata"]["labels"].items()
                self.assertLessEqual(self.objects["Service", name]["spec"]["selector"].items(), labels)

    def test_synchronous_standby(self):
        """A commit waits for a standby, and one standby may be absent."""
        database = self.objects["Cluster", "reachd-database"]["spec"]
        self.assertEqual(database["postgresql"]["synchronous"], {"method": "any", "number": 1})
        self.assertGreaterEqual(database["instances"], 3)

    def test_targets(self):
        """reachd accepts the targets; then it does not find the database."""
        text = self.objects["ConfigMap", "reachd-targets"]["data"]["targets.yaml"]
        self.assertEqual(apply(text).returncode, 69)
        wrong = apply(text.replace("watchers: 2", "watchers: 0"))
        self.assertEqual(wrong.returncode, 1, wrong.stderr)

    def test_applied(self):
        """One pod applies the targets whenever they change, from a volume that follows the ConfigMap."""
        workload = self.objects["Deployment", "reachd-fleet-apply"]["spec"]
        self.assertEqual((workload["replicas"], workload["strategy"]["type"]), (1, "Recreate"))
        self.assertEqual(workload["selector"]["matchLabels"], workload["template"]["metadata"]["labels"])
        container = workload["template"]["spec"]["containers"][0]
        self.assertEqual(container["args"][:3], ["fleet", "apply", "--watch"])
        mount = next(m for m in container["volumeMounts"] if m["mountPath"] == container["args"][-1].rsplit("/", 1)[0])
        # A file that is mounted alone keeps its first content.
        self.assertNotIn("subPath", mount)

    def test_settings(self):
        """reachd accepts the environment of the nodes."""
        for location in self.sets:
            environment = {name: value for name, value in self.environment(location).items()}
            self.assertEqual(environment["REACHD_FLEET_LOCATION"], location["spec"]["template"]["metadata"]["labels"]["location"])
            validate(environment)

    @staticmethod
    def container(workload):
        return workload["spec"]["template"]["spec"]["containers"][0]

    def environment(self, workload):
        values = {entry["name"]: entry.get("value", "reachd-0") for entry in self.container(workload)["env"]}
        return {name: value.replace("$(REACHD_FLEET_NODE)", values["REACHD_FLEET_NODE"]) for name, value in values.items()}

    def connection(self, workload):
        container = self.container(workload)
        if "env" in container:
            environment = self.environment(workload)
            return environment["REACHD_FLEET_DATABASE"], environment["REACHD_FLEET_PASSWORD_FILE"]
        options = dict(word[2:].split("=", 1) for word in container["args"] if word.startswith("--") and "=" in word)
        return options["database"], options["password-file"]


def apply(text):
    """Applies targets to a database that does not exist."""
    database = "postgresql:///reachd?host=/nowhere&user=reachd"
    return subprocess.run([REACHD, "fleet", "apply", "/dev/stdin", "--database", database], input=text, text=True, capture_output=True)


def validate(environment):
    """Checks settings of the environment besides an empty configuration."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("REACHD_")}
    subprocess.run([REACHD, "validate", "/dev/null"], env=variables | environment, check=True, capture_output=True)


class Compose(unittest.TestCase):
    def setUp(self):
        self.file = PROJECT / "config/compose/compose.yaml"
        self.services = services("compose.yaml")

    def test_hardening(self):
        """All services are read-only, without capabilities or new privileges."""
        for name, service in {**self.services, **services("fleet/compose.yaml")}.items():
            with self.subTest(service=name):
                self.assertIs(service["read_only"], True)
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertEqual(service["security_opt"], ["no-new-privileges:true"])

    def test_dependant(self):
        """The dependant waits for the health check, which equals the image's."""
        self.assertEqual(self.services["dependant"]["depends_on"], {"reachd": {"condition": "service_healthy"}})
        check = json.loads(re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[1])
        self.assertEqual(self.services["reachd"]["healthcheck"]["test"], ["CMD", *check])

    def test_configuration(self):
        """reachd accepts the configuration, which contains the target that the dependant checks."""
        configuration = self.file.parent / "reachd.yaml"
        run(REACHD, "validate", configuration)
        targets = {target["id"] for target in yaml.safe_load(configuration.read_text())["targets"]}
        self.assertIn(self.services["dependant"]["command"][2], targets)


class ComposeFleet(unittest.TestCase):
    def setUp(self):
        self.folder = PROJECT / "config/compose/fleet"
        self.services = services("fleet/compose.yaml")
        self.nodes = {name: service for name, service in self.services.items() if name.startswith("node-")}

    def test_nodes(self):
        """Three nodes in two locations; reachd accepts their settings."""
        environments = [node["environment"] for node in self.nodes.values()]
        self.assertEqual([environment["REACHD_FLEET_NODE"] for environment in environments], list(self.nodes))
        self.assertEqual([environment["REACHD_FLEET_LOCATION"] for environment in environments], ["berlin", "berlin", "paris"])
        for node in self.nodes.values():
            port = node["ports"][0].split(":")[1]
            self.assertEqual(node["environment"]["REACHD_FLEET_URL"], f"http://127.0.0.1:{port}")
            self.assertEqual(node["volumes"], [f"{node['environment']['REACHD_FLEET_NODE']}:/var/lib/reachd"])
            validate(node["environment"])

    def test_order(self):
        """Nodes and targets need the schema, and that needs the database."""
        for name in ("apply", *self.nodes):
            self.assertEqual(self.services[name]["depends_on"], {"init": {"condition": "service_completed_successfully"}})
        self.assertEqual(self.services["init"]["depends_on"], {"database": {"condition": "service_healthy"}})

    def test_references(self):
        """Secrets, volumes and files exist, and each password is one of the service's secrets."""
        document = yaml.safe_load((self.folder / "compose.yaml").read_text())
        for name, service in self.services.items():
            self.assertLessEqual(set(service["secrets"]), document["secrets"].keys(), name)
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                self.assertTrue((self.folder / source).exists() if source.startswith("./") else source in document["volumes"], volume)
            for path in re.findall(r"/run/secrets/([\w.]+)", json.dumps(service)):
                self.assertIn(path, service["secrets"])

    def test_targets(self):
        """reachd accepts the targets; then it does not find the database."""
        self.assertEqual(apply((self.folder / "targets.yaml").read_text()).returncode, 69)


class Publication(unittest.TestCase):
    """The public address, and the workflow that publishes."""

    def setUp(self):
        self.workflow = (PROJECT / ".github/workflows/release.yml").read_text()
        self.jobs = yaml.safe_load(self.workflow)["jobs"]

    def test_address(self):
        """The documents name the address of config/release/site, and no other file declares one."""
        site = re.search(r"^SITE=(\S+)$", (PROJECT / "config/release/site").read_text(), re.MULTILINE)[1]
        text = (PROJECT / "docs/packages.md").read_text()
        self.assertIn(f"curl -fsSL {site}/install.sh | sh", text)
        self.assertEqual(set(re.findall(r"https?://[^/\s]+(?=/(?:install\.sh|key\.asc))", text)), {site})
        # Nothing is there before the first release.
        self.assertNotIn("install.sh", (PROJECT / "README.md").read_text())
        self.assertNotIn(site, self.workflow)
        self.assertNotIn(site, (PROJECT / "scripts/release").read_text())

    def test_package(self):
        """The documents name the repository of config/release/site as the address of the Swift package."""
        repository = re.search(r"^REPOSITORY=(\S+)$", (PROJECT / "config/release/site").read_text(), re.MULTILINE)[1]
        for name in ("docs/swift.md", "docs/migrating-from-apple-reachability.md"):
            text = (PROJECT / name).read_text()
            self.assertEqual(set(re.findall(r'\.package\(url: "([^"]+)"', text)), {f"https://github.com/{repository}"}, name)

    def test_pinned(self):
        """Every action is pinned by commit, and every checkout forgets its token."""
        uses = re.findall(r"uses: (\S+)(.*)", self.workflow)
        self.assertGreater(len(uses), 5)
        for action, comment in uses:
            self.assertRegex(action, r"^[\w./-]+@[0-9a-f]{40}$")
            self.assertRegex(comment, r"^ # v\d+\.\d+\.\d+$")
        for job in self.jobs.values():
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    self.assertIs(step["with"]["persist-credentials"], False)

    def test_permissions(self):
        """No job has more permissions than it needs; only the job that signs reads a secret, and it compiles nothing."""
        self.assertEqual(yaml.safe_load(self.workflow)["permissions"], {})
        writes = {name: {kind for kind, value in job["permissions"].items() if value == "write"} for name, job in self.jobs.items()}
        self.assertEqual(
            writes,
            {"check": set(), "build": set(), "sign": set(), "files": {"contents"}, "image": {"packages"}, "pages": {"pages", "id-token"}},
        )
        secret = {name for name, job in self.jobs.items() if "secrets." in json.dumps(job)}
        self.assertEqual(secret, {"sign"})
        self.assertEqual(self.jobs["sign"]["environment"], "release")
        commands = " ".join(step.get("run", "") for step in self.jobs["sign"]["steps"])
        self.assertIn("join repository installer", commands)

    def test_order(self):
        """Nothing is built before the checks, and nothing is published without a signature, or from a branch."""
        self.assertIn(".ci/run", json.dumps(self.jobs["check"]["steps"]))
        self.assertEqual(self.jobs["build"]["if"], "startsWith(github.ref, 'refs/tags/v')")
        needs = {name: job.get("needs") for name, job in self.jobs.items()}
        self.assertEqual(
            needs,
            {"check": None, "build": "check", "sign": "build", "files": "sign", "image": "sign", "pages": ["sign", "files", "image"]},
        )


class Image(unittest.TestCase):
    def test_nothing_of_one_architecture(self):
        """No build file of the image or the package names an architecture."""
        names = re.compile(r"x86|amd64|aarch64|arm64|gnu-linux", re.IGNORECASE)
        files = ["image-root", "image-archive", "build-release", "package-debian", "lib/inventory.py", "lib/completions", "bootstrap"]
        for name in [f"scripts/{file}" for file in files] + ["config/debian/control", "config/debian/rules"]:
            self.assertIsNone(names.search((PROJECT / name).read_text()), name)
        lines = [line for line in DOCKERFILE.splitlines() if not line.startswith("#")]
        self.assertIsNone(names.search("\n".join(lines)))

    def test_context(self):
        """.dockerignore lets exactly the files through that the Dockerfile copies."""
        lines = (PROJECT / ".dockerignore").read_text().splitlines()
        allowed = {line[1:] for line in lines if line.startswith("!")}
        copied = set()
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE):
            copied |= set(line.split()[:-1])
        self.assertEqual(copied, allowed)
        for name in copied:
            self.assertTrue((PROJECT / name).exists(), name)

    def test_exec_form(self):
        """The image has no shell: all its commands are in the exec form."""
        last = DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]
        self.assertTrue(last.startswith("\nFROM scratch\n"))
        self.assertNotRegex(last, r"(?m)^RUN ")
        for word in ("ENTRYPOINT", "CMD"):
            self.assertRegex(last, rf"(?m)^{word} \[")
        self.assertRegex(last, r"(?m)^HEALTHCHECK .* CMD \[")
