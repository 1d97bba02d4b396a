/** What is planted in programs: statements, by what they try. Each stands in a method with `self` in reach. */
import type { Random } from "../../../lib/core/seed.ts";

export type Graft = (rng: Random) => string;

export const pick = <T>(rng: Random, items: readonly T[]): T => items[rng.integer(items.length)];

/** A number whose size spreads over `digits` decimal orders. */
export const spread = (rng: Random, digits: number): number =>
  Math.floor(10 ** (rng.next() * digits));

const values = [
  "None",
  "True",
  "0",
  "-0.0",
  "1e308 * 10",
  "float('nan')",
  "10 ** 400",
  "2 ** 53",
  "1j",
  "''",
  "b'x'",
  "'\\ud800'",
  "'\\0\\x7f\\uffff'",
  "[]",
  "()",
  "{}",
  "{1: 2}",
  "{'a': {'b': [1, (2,)]}}",
  "{'\\udfff': '\\udfff'}",
  "{(): ()}",
  "set()",
  "range(9)",
  "object()",
  "self",
  "type",
  "lambda: 0",
  "(x for x in ())",
  "NotImplemented",
  "...",
  "ValueError('x')",
  "ValueError",
  "memoryview(b'x')",
  "type('S', (str,), {'encode': lambda *a: 1 / 0, 'isascii': lambda s: True})('\\ud800')",
  "type('S', (str,), {'__len__': lambda s: -1})('x')",
  "type('D', (dict,), {'items': lambda s: [(s, s)] * 9, '__len__': lambda s: 1})()",
  "type('D', (dict,), {'items': lambda s: iter(lambda: ('a', 1), 0), '__bool__': lambda s: True})()",
  "type('F', (float,), {'__float__': lambda s: 'x'})(1)",
  "type('I', (int,), {'__abs__': lambda s: 0, '__int__': lambda s: 10 ** 5000})(9)",
  "type('T', (tuple,), {'__iter__': lambda s: 1 / 0, '__len__': lambda s: 5})()",
  "type('B', (), {'__bool__': lambda s: 1 / 0, '__eq__': lambda s, o: 1 / 0, '__hash__': lambda s: 0})()",
];

/** A Python expression of any type. */
export function wild(rng: Random): string {
  const value = pick(rng, values);
  switch (rng.integer(12)) {
    case 0:
      return `[${value}] * ${spread(rng, 5)}`;
    case 1:
      return `{'k': ${value}, 'l': ${pick(rng, values)}}`;
    case 2:
      return `str(${value}) * ${spread(rng, 6)}`;
    default:
      return value;
  }
}

/** The five values of a step, some of them wild, sometimes too few or too many. */
export function wildStep(rng: Random): string {
  const parts = ["'o'", "0.5", "False", "False", "{}"];
  const many = 1 + rng.integer(3);
  for (let i = 0; i < many; i++) parts[rng.integer(parts.length)] = wild(rng);
  if (rng.integer(8) === 0) parts.length = rng.integer(5);
  if (rng.integer(8) === 0) parts.push(wild(rng));
  return rng.integer(6) === 0 ? wild(rng) : `(${parts.map((part) => `${part},`).join(" ")})`;
}

/** Bytes for the protocol: frames that are right, cut, forged, too long, not JSON, or noise. */
function bytes(rng: Random): string {
  const i = rng.integer(8);
  const bodies = [
    `b'{"i":${i}}'`,
    `b'{"i":${i},"observation":"","reward":1,"terminated":true,"truncated":false,"info":{}}'`,
    `b'{"i":${i},"observation":"","info":{}}'`,
    `b'{"i":${i},"observation":"\\\\ud800","reward":1e999,"terminated":true,"truncated":false,"info":{"a":1e999}}'`,
    `b'{"i":${i},"failed":"host","detail":"it was the host"}'`,
    `b'{"i":${i},"failed":"exception","detail":"' + b'x' * ${spread(rng, 6)} + b'"}'`,
    `b'{"i":${i},"maxTurns":${pick(rng, ["0", "1e99", "-1", "null", '"1"'])}}'`,
    `b'{"i":${i},"__proto__":{"observation":"x"},"constructor":1,"solution":null}'`,
    `b'[' * ${spread(rng, 6)}`,
    `b'{"i":${i},"info":' + b'[' * 9000 + b']' * 9000 + b'}'`,
    `b'{"i":${i},"observation":"","info":{"a":[' + b'0,' * ${spread(rng, 5.5)} + b'0]}}'`,
    `b'\\xff\\xfe\\x00' * ${spread(rng, 5)}`,
    "b''",
  ];
  const body = pick(rng, bodies);
  switch (rng.integer(6)) {
    case 0:
      return `struct.pack('<I', ${
        pick(rng, [0, 1, 3, 2 ** 20, 2 ** 20 + 1, 2 ** 31, 2 ** 32 - 1])
      }) + ${body}`;
    case 1:
      return `frame(${body})[:${rng.integer(40)}]`;
    case 2:
      return `frame(${body}) * ${1 + rng.integer(spread(rng, 3))}`;
    case 3:
      return body;
    default:
      return `frame(${body})`;
  }
}

const send = (rng: Random, data: string) =>
  `import os, struct
frame = lambda b: struct.pack('<I', len(b)) + b
data = ${data}
while data:
    data = data[os.write(${rng.integer(8) ? 3 : rng.integer(12)}, data[:${1 + spread(rng, 5)}]):]`;

const sleep = (rng: Random) => `import time; time.sleep(${pick(rng, ["0.01", "0.1", "60"])})`;

export const grafts: Record<string, readonly Graft[]> = {
  types: [
    (rng) => `return ${wildStep(rng)}`,
    (rng) => `return ${wild(rng)}, ${wild(rng)}`,
    (rng) => `self.max_turns = ${wild(rng)}`,
    (rng) => `self.solution = ${wild(rng)}`,
    (rng) => `self.solution = lambda: [${wild(rng)}] * ${spread(rng, 5)}`,
    (rng) => `self.step = self.reset = lambda *a, **k: ${wildStep(rng)}`,
    (rng) => `x = ${wild(rng)} ${pick(rng, ["+", "*", "<", "@", "%", "in", "is"])} ${wild(rng)}`,
  ],
  hang: [
    () => "while True: pass",
    () => "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    () => "x = 10 ** 10 ** 9",
    () => "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
    () => "sum(itertools.count())",
    () =>
      "import threading; threading.Lock().acquire(); lock = threading.Lock(); lock.acquire(); lock.acquire()",
    () => "import os; os.read(3, 1)",
    (rng) => `import time; time.sleep(${pick(rng, ["60", "1e9", "-1"])})`,
    (rng) => `for _ in range(${spread(rng, 7)}): pass`,
    () => "class A:\n    def __del__(self):\n        while True: pass\nA()",
    () => "import time\nwhile True: time.sleep(0.001)",
  ],
  exit: [
    (rng) => `import os; os._exit(${pick(rng, [0, 1, 70, 71, 255, 256])})`,
    (rng) => `import sys; sys.exit(${wild(rng)})`,
    () => "import os; os.abort()",
    (rng) =>
      `raise ${
        pick(rng, [
          "KeyboardInterrupt",
          "GeneratorExit",
          "StopIteration",
          "MemoryError",
          "BaseException('x' * 10 ** 6)",
          "SystemExit",
          "RecursionError",
          "ExceptionGroup('g', [ValueError()])",
        ])
      }`,
    () =>
      "class E(Exception):\n    def __str__(self): raise SystemExit\n    __repr__ = __str__\nraise E()",
    () =>
      "class E(BaseException):\n    __slots__ = ()\n    def __str__(self):\n        while True: pass\nraise E()",
    (rng) => `import os; os.close(${rng.integer(5)})`,
    () => "import os; os.closerange(0, 1000)",
    () => "yield 1",
    () => "await self",
    (rng) =>
      `import os, signal; os.kill(${pick(rng, ["os.getpid()", "0", "1", "-1"])}, ${
        pick(rng, [9, 11, 15, 19])
      })`,
    () => "import signal; signal.raise_signal(11)",
    () => "def f(): return f()\nf()",
    () =>
      "import sys; sys.setrecursionlimit(10 ** 9)\nclass A:\n    def __repr__(self): return repr(self)\nrepr(A())",
    () => "import sys; sys._getframe().f_back.f_back.f_globals.clear()",
  ],
  flood: [
    (rng) => `print('x' * ${spread(rng, 8)})`,
    () => "while True: print('x' * 10000)",
    (rng) => `import os\nwhile True: os.write(${rng.integer(4)}, b'x' * 65536)`,
    (rng) => `import os\nfor _ in range(${spread(rng, 4)}): os.write(3, b'\\x07\\0\\0\\0{"i":9}')`,
    (rng) => `return 'x' * ${spread(rng, 7)}, {}`,
    (rng) => `return 'o', 0.0, False, False, {'a': ['x'] * ${spread(rng, 6)}}`,
    (rng) => `raise ValueError('y' * ${spread(rng, 7)})`,
    () => "import warnings\nfor i in range(10 ** 5): warnings.warn(str(i))",
    () => "import sys\nsys.stderr.write('x' * 10 ** 7)",
  ],
  nesting: [
    (rng) => `x = []\nfor _ in range(${spread(rng, 6)}): x = [x]\nreturn 'o', {'x': x}`,
    (rng) =>
      `x = {}\nfor _ in range(${spread(rng, 5)}): x = {'x': x}\nreturn 'o', 0.0, False, False, x`,
    () => "x = []; x.append(x)\nreturn 'o', {'x': x}",
    () => "x = {}; x['x'] = x\nreturn 'o', 0.0, False, False, x",
    (rng) => `eval('(' * ${spread(rng, 5)} + '1' + ')' * 9)`,
    (rng) => `eval('-' * ${spread(rng, 5.3)} + '1')`,
    (rng) => `json.loads('[' * ${spread(rng, 6)})`,
    (rng) => `json.dumps(json.loads('[' * ${spread(rng, 4)} + ']' * 9))`,
    (rng) => `f = lambda: 0\nfor _ in range(${spread(rng, 6)}): f = functools.partial(f)\nf()`,
    (rng) =>
      `e = None\nfor _ in range(${
        spread(rng, 5)
      }):\n    n = ValueError(); n.__cause__ = e; e = n\nraise e`,
    (rng) => `import copy; x = []\nfor _ in range(${spread(rng, 5)}): x = [x]\ncopy.deepcopy(x)`,
  ],
  huge: [
    (rng) => `x = str(10 ** ${spread(rng, 5)})`,
    (rng) => `x = 1 << ${spread(rng, 12)}`,
    (rng) => `return 'o', ${pick(rng, ["", "-"])}10 ** ${spread(rng, 4)}, False, False, {}`,
    (rng) => `return 'o', {'n': 2 ** ${spread(rng, 3)}, 'm': [10 ** 30] * ${spread(rng, 4)}}`,
    (rng) => `x = math.factorial(${spread(rng, 6)})`,
    (rng) => `x = int('9' * ${spread(rng, 6)})`,
    (rng) => `x = 'ab' * ${spread(rng, 18)}`,
    (rng) => `x = list(range(${spread(rng, 9)}))`,
    (rng) => `x = bytearray(${spread(rng, 11)})`,
    () => "x = []\nwhile True: x.append(bytearray(1 << 20))",
    () => "x = {}\nwhile True: x[len(x)] = str(len(x))",
    () => "x = [0]\nwhile True: x += x",
    () => "import array; x = array.array('d', [0]) * 10 ** 9",
  ],
  surrogates: [
    (rng) =>
      `return '${pick(rng, ["\\ud800", "\\udfff\\ud800", "a\\udc80b", "\\ud83d\\ude00"])}' * ${
        spread(rng, 5)
      }, {}`,
    (rng) => `return 'o', {'\\ud800${rng.integer(9)}': '\\udc00', '\\udc00': {'\\ud800': 1}}`,
    () => "return '\\ud800', 0.0, False, False, {'\\udfff' * 9: '\\0'}",
    () => "raise ValueError('\\ud800\\0\\x1b[2J')",
    () => "self.solution = lambda: ['\\ud800', '\\0']",
    () => "type('\\ud800', (), {})",
    () => "exec('x\\ud800 = 1')",
    (rng) => `return ''.join(map(chr, range(${spread(rng, 5.5)}))), {}`,
  ],
  protocol: [
    (rng) => send(rng, bytes(rng)),
    (rng) => `${send(rng, bytes(rng))}\n${sleep(rng)}`,
    (rng) => `${send(rng, bytes(rng))}\n${send(rng, bytes(rng))}\nos._exit(0)`,
    (rng) => `${send(rng, bytes(rng))}\nos.close(3)\n${sleep(rng)}`,
    () => "import os\nfor fd in range(64):\n    try: os.read(fd, 4096)\n    except OSError: pass",
    (rng) =>
      `import os\nfor fd in range(64):\n    try: os.write(fd, b'\\0' * ${
        spread(rng, 5)
      })\n    except OSError: pass`,
    (rng) =>
      `import socket; s = socket.socket(fileno=3); s.${
        pick(rng, ["shutdown(2)", "send(b'x' * 99)", "close()", "setblocking(False)"])
      }`,
    () =>
      "import sys\nf = sys._getframe()\nwhile f:\n    f.f_locals.update(request={'i': 7, 'op': 'step'}, reply={'i': 7}); f = f.f_back",
    () =>
      "import json; json.JSONEncoder.encode = json.JSONEncoder.iterencode = lambda *a: 'x' * 99",
    () => "import json; json.loads = lambda *a: {'i': -1, 'op': 'exit'}",
  ],
  process: [
    () => "import os\nwhile True:\n    try: os.fork()\n    except OSError: break",
    () =>
      "import threading\nfor _ in range(100): threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()",
    () => "import subprocess; subprocess.run(['/bin/sh'])",
    () => "import os; os.execv('/bin/sh', ['sh'])",
    () => "open('/etc/passwd').read()",
    () => "import socket; socket.create_connection(('127.0.0.1', 1))",
    (rng) => `import signal; signal.signal(${1 + rng.integer(64)}, signal.SIG_IGN)`,
    () => "import signal; signal.setitimer(signal.ITIMER_REAL, 0.01)",
    () => "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    () => "import mmap; mmap.mmap(-1, 1 << 40)",
    () => "import atexit, os; atexit.register(os._exit, 0)",
  ],
  tampering: [
    () => "import sys; sys.modules.clear()",
    () => "import builtins; builtins.__dict__.clear()",
    () => "import gc\nfor o in gc.get_objects():\n    if type(o) is dict: o.clear()",
    () => "import gc\nfor o in gc.get_objects():\n    if type(o) is list: o.clear()",
    () => "import gc; gc.disable(); gc.set_threshold(1, 1, 1)",
    () => "import sys; sys.settrace(lambda *a: 1 / 0)",
    () => "import sys; sys.setswitchinterval(1e-9); sys.setrecursionlimit(5)",
    () => "import os; os.write = os.read = lambda *a: 0",
    () => "import os; os._exit = lambda *a: None",
    () => "import struct; struct.pack = struct.unpack = None",
    () =>
      "from runner import contract; contract.step_value = contract.reset_value = lambda v: {'x': '\\ud800'}",
    () => "from runner import contract; contract.MAX_TEXT = 10 ** 9\nreturn 'x' * 10 ** 6, {}",
    () => "del self.__class__.step, self.__class__.reset",
    () =>
      "self.__class__ = type('OtherEnv', (type(self),), {'__getattribute__': lambda s, n: 1 / 0})",
    () =>
      "import types, sys\nf = sys._getframe(); f.f_builtins.update({n: None for n in list(f.f_builtins)})",
    () => "exec(compile(type(compile('1', '', 'eval')), '', 'exec'))",
    () =>
      "c = (lambda: 0).__code__\nf = lambda: 0\nf.__code__ = c.replace(co_code=b'\\x64\\xff' * 40, co_stacksize=0)\nf()",
    () =>
      "f = lambda: 0\nf.__code__ = f.__code__.replace(co_consts=(), co_code=bytes(range(0, 250, 2)))\nf()",
  ],
};
