"""The bound on the memory of all plays, on trees of files like those of the kernel. No machine with delegated
controllers was at hand: what the kernel then does with memory.max is untested."""
import os
import tempfile
import unittest
from unittest import mock

import cgroup

GIGABYTE = 1 << 30


class Tree:
    """A /proc and a cgroup hierarchy in a folder."""

    def __init__(self, folder, own="0::/slice/scope\n", control="cpu memory pids", available=8):
        self.proc, self.root = folder + "/proc", folder + "/cgroup"
        self.write("proc/self/cgroup", own, folder)
        self.write("proc/self/mounts", "none %s cgroup2 rw,relatime 0 0\n" % self.root, folder)
        self.write("proc/meminfo", "MemTotal: 1 kB\nMemAvailable:  %d kB\n" % (available << 20), folder)
        self.write("cgroup/slice/cgroup.subtree_control", control, folder)
        self.write("cgroup/slice/scope/cgroup.procs", "1", folder)

    @staticmethod
    def write(path, text, folder):
        path = folder + "/" + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)


class Enter(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        real = self.mkdir = os.mkdir

        def mkdir(path, *rest):
            """As the kernel does it: a new group has its files at once."""
            real(path, *rest)
            for name in ("memory.max", "pids.max", "cgroup.procs"):
                open(path + "/" + name, "w").close()
        patch = mock.patch("os.mkdir", mkdir)
        patch.start()
        self.addCleanup(patch.stop)

    def leaf(self, tree, name):
        with open("%s/slice/spade-%d/%s" % (tree.root, os.getpid(), name)) as file:
            return file.read()

    def test_a_leaf_beside_the_present_group_holds_memory_processes_and_this_one(self):
        tree = Tree(self.folder)
        self.assertEqual(cgroup.enter(GIGABYTE, tree.proc), "")
        self.assertEqual(self.leaf(tree, "memory.max"), str(GIGABYTE))
        self.assertEqual(self.leaf(tree, "pids.max"), str(cgroup.PROCESSES))
        self.assertEqual(self.leaf(tree, "cgroup.procs"), str(os.getpid()))

    def test_leaves_without_processes_are_removed(self):
        tree = Tree(self.folder)
        self.mkdir(tree.root + "/slice/spade-1")  # without the kernel's files: the real rmdir can remove it
        cgroup.enter(GIGABYTE, tree.proc)
        self.assertFalse(os.path.exists(tree.root + "/slice/spade-1"))

    def test_what_is_not_delegated_is_said(self):
        tree = Tree(self.folder, control="cpu pids")
        self.assertEqual(cgroup.enter(GIGABYTE, tree.proc), "memory not delegated in %s/slice" % tree.root)
        tree = Tree(self.folder, own="4:memory:/x\n")
        self.assertEqual(cgroup.enter(GIGABYTE, tree.proc), "no cgroup version 2")

    def test_a_failure_leaves_no_group_behind(self):
        tree = Tree(self.folder)
        with mock.patch.object(cgroup, "_write", side_effect=OSError(13, "")), mock.patch("os.rmdir") as rmdir:
            self.assertIn("Permission denied", cgroup.enter(GIGABYTE, tree.proc))
        rmdir.assert_called_with("%s/slice/spade-%d" % (tree.root, os.getpid()))


class Free(unittest.TestCase):
    def test_the_container_counts_where_it_has_less(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(folder)
            self.assertEqual(cgroup.free_bytes(tree.proc), 8 * GIGABYTE)
            Tree.write("cgroup/slice/scope/memory.max", str(2 * GIGABYTE), folder)
            Tree.write("cgroup/slice/scope/memory.current", str(GIGABYTE), folder)
            self.assertEqual(cgroup.free_bytes(tree.proc), GIGABYTE)
            Tree.write("cgroup/slice/scope/memory.max", "max", folder)
            self.assertEqual(cgroup.free_bytes(tree.proc), 8 * GIGABYTE)

    def test_this_machine_has_some(self):
        self.assertGreater(cgroup.free_bytes(), 1 << 20)


if __name__ == "__main__":
    unittest.main()
