# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The manifests for Kubernetes and compose, against their schemas and against each other."""

import json
import re
import unittest

import kubernetes_validate
import yaml
from support import PROJECT, REACHD, run

KUBERNETES = PROJECT / "config/kubernetes"
FILES = [path for path in sorted(KUBERNETES.glob("*.yaml")) if path.name != "kustomization.yaml"]
# The first version with sidecars, and a recent one.
VERSIONS = ("1.29", "1.35")
DOCKERFILE = (PROJECT / "Dockerfile").read_text()


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def pods():
    """Every pod template, with its file and object."""
    for path in FILES:
        for document in documents(path):
            if "template" in document.get("spec", {}):
                yield path.name, document, document["spec"]["template"]["spec"]


class Kubernetes(unittest.TestCase):
    def test_schemas(self):
        """Every object satisfies the schemas."""
        for path in FILES:
            for document in documents(path):
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
        for name, _, pod in pods():
            with self.subTest(file=name):
                self.assertEqual(pod.get("hostNetwork", False), name == "daemonset.yaml")
                self.assertIs(pod["automountServiceAccountToken"], False)
                self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
                for container in pod["containers"] + pod.get("initContainers", []):
                    context = container["securityContext"]
                    self.assertIs(context["allowPrivilegeEscalation"], False)
                    self.assertIs(context["readOnlyRootFilesystem"], True)
                    self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
                    self.assertIn("memory", container["resources"]["limits"])
                for volume in pod["volumes"]:
                    self.assertEqual(len({"emptyDir", "configMap"} & volume.keys()), 1, volume)
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
            set(kustomization["resources"]), {path.name for path in FILES} - {"daemonset.yaml", "sidecar.yaml"}
        )
        self.assertEqual(
            [image["name"] for image in kustomization["images"]],
            [pod["containers"][0]["image"].split(":")[0] for _, _, pod in pods() if pod["containers"][0]["name"] == "reachd"][:1],
        )

    def test_configurations(self):
        """reachd accepts every configuration in the manifests."""
        for path in FILES:
            for document in documents(path):
                if document["kind"] == "ConfigMap":
                    with self.subTest(file=path.name):
                        run(REACHD, "validate", "/dev/stdin", input=document["data"]["reachd.yaml"])


class Compose(unittest.TestCase):
    def setUp(self):
        self.file = PROJECT / "config/compose/compose.yaml"
        self.services = yaml.safe_load(self.file.read_text())["services"]

    def test_hardening(self):
        """All services are read-only, without capabilities or new privileges."""
        for name, service in self.services.items():
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


class Image(unittest.TestCase):
    def test_nothing_of_one_architecture(self):
        """No build file of the image or the package names an architecture."""
        names = re.compile(r"x86|amd64|aarch64|arm64|gnu-linux", re.IGNORECASE)
        files = ["scripts/image-root", "scripts/release", "scripts/package-debian", "scripts/lib/inventory.py", "scripts/bootstrap"]
        for name in files + ["config/debian/control", "config/debian/rules"]:
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
