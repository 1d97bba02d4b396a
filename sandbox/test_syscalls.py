"""The tables of system calls against the kernel's headers, and the filters run instruction by instruction."""
import errno
import os
import re
import struct
import unittest

import seccomp
from syscalls import AARCH64, TABLES, X86_64

HERE = os.path.dirname(os.path.abspath(__file__))
# linux-libc-dev installs these; elsewhere the excerpt beside this file answers.
HEADERS = {"aarch64": "/usr/include/asm-generic/unistd.h", "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"}
LACKING = {"open", "stat", "lstat", "poll", "select", "time", "fork", "vfork", "modify_ldt", "iopl", "ioperm", "dup2",
           "chown", "lchown"}


def defined(text):
    """Numbers by name; __NR3264_mmap is the name mmap has on 64-bit machines in the generic header."""
    return {name: int(number) for _, name, number in re.findall(r"^#define __NR(3264)?_(\w+)\s+(\d+)\s*$", text, re.M)}


def excerpt(machine):
    with open(os.path.join(HERE, "unistd_excerpt.h")) as file:
        return defined(re.search(r"/\* %s \*/(.*?)(?=/\* \w+ \*/|\Z)" % machine, file.read(), re.S).group(1))


def run(instructions, architecture, number, arguments=(0, 0, 0, 0, 0, 0), limit=64):
    """What the kernel's interpreter would return for that call."""
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, architecture, 0, *arguments)
    accumulator, position = 0, 0
    for _ in range(limit):
        code, yes, no, operand = instructions[position]
        position += 1
        if code == seccomp.RETURN:
            return operand
        if code == seccomp.LOAD:
            accumulator = struct.unpack_from("<I", data, operand)[0]
        elif code == seccomp.JUMP:
            position += operand
        else:
            holds = {seccomp.EQUAL: accumulator == operand, seccomp.AT_LEAST: accumulator >= operand,
                     seccomp.ANY_BIT: accumulator & operand != 0}[code]
            position += yes if holds else no
    raise AssertionError("too many steps")


class Tables(unittest.TestCase):
    def test_numbers_are_those_of_the_kernel(self):
        for machine, (_, numbers) in TABLES.items():
            known = [excerpt(machine)]
            if os.path.exists(HEADERS[machine]):
                with open(HEADERS[machine]) as file:
                    known.append(defined(file.read()))
            for source in known:
                self.assertEqual({name: source.get(name) for name in numbers}, numbers, machine)

    def test_what_aarch64_lacks_is_what_is_known_to_be_lacking(self):
        self.assertEqual(set(X86_64) - set(AARCH64), LACKING)

    def test_every_name_of_the_policy_has_a_number(self):
        for name in seccomp.ALLOWED + seccomp.KILLED:
            self.assertIn(name, X86_64)


class Verdicts(unittest.TestCase):
    def each(self):
        for machine, (architecture, numbers) in TABLES.items():
            with self.subTest(machine=machine):
                yield architecture, numbers, seccomp.build_filter(architecture, numbers)

    def test_every_number_gets_the_verdict_of_its_name(self):
        special = {"clone3": errno.ENOSYS, "clone": errno.EAGAIN, "fork": errno.EAGAIN, "vfork": errno.EAGAIN}
        conditional = {"read", "write", "mmap", "madvise", "mprotect"}
        for architecture, numbers, instructions in self.each():
            names = {number: name for name, number in numbers.items()}
            for number in range(1024):
                name = names.get(number)
                if name in conditional:
                    continue
                wanted = (seccomp.ALLOW if name in seccomp.ALLOWED else seccomp.KILL if name in seccomp.KILLED
                          else seccomp.refuse(special.get(name, errno.EPERM)))
                self.assertEqual(run(instructions, architecture, number), wanted, "%s %s" % (number, name))

    def test_arguments_decide_for_five(self):
        for architecture, numbers, instructions in self.each():
            def verdict(name, *arguments):
                return run(instructions, architecture, numbers[name], arguments + (0,) * (6 - len(arguments)))
            badly = seccomp.refuse(errno.EBADF)
            self.assertEqual([verdict("read", fd) for fd in (0, 2, 3, 4)], [badly, badly, seccomp.ALLOW, badly])
            self.assertEqual([verdict("write", fd) for fd in (0, 3, 4, 2 ** 32 - 1)], [seccomp.ALLOW] * 2 + [badly] * 2)
            denied, anonymous = seccomp.refuse(errno.EPERM), 0x22
            self.assertEqual(verdict("mmap", 0, 4096, 3, anonymous), seccomp.ALLOW)
            self.assertEqual(verdict("mmap", 0, 4096, 7, anonymous), denied)
            self.assertEqual(verdict("mmap", 0, 4096, 3, 2, 3), denied)
            self.assertEqual([verdict("madvise", 0, 4096, advice) for advice in (4, 12)], [seccomp.ALLOW, denied])
            self.assertEqual(verdict("mprotect", 0, 4096, 3), seccomp.ALLOW)
            self.assertEqual(verdict("mprotect", 0, 4096, 5), denied)

    def test_another_architecture_and_the_x32_convention_are_killed(self):
        for architecture, numbers, instructions in self.each():
            for other in (0x40000003, 0x40000028, 0xC000003E ^ 0xC00000B7 ^ architecture):  # i386, arm, each other
                self.assertEqual(run(instructions, other, numbers["getpid"]), seccomp.KILL)
            for number in (0x40000000, 0x40000000 + numbers["getpid"], -1):
                self.assertEqual(run(instructions, architecture, number), seccomp.KILL)

    def test_the_filter_is_short(self):
        for _, _, instructions in self.each():
            self.assertLess(len(instructions), 256)


if __name__ == "__main__":
    unittest.main()
