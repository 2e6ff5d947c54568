// Varied JavaScript on a JavaScript engine: the big image, some 60 MB of text in
// thousands of functions, with several small cores beside it.
//
// usage: wamr run js.wasm [ROUNDS]; 10 without, 0 or less runs until killed.
import { getArguments } from 'wasi:cli/environment@0.2.3';

function text(n) {
  const parts = [];
  for (let i = 0; i < n; i++)
    parts.push({ id: i, name: `item ${i % 97}`, tags: ['a', 'b', String(i * 7)], on: i % 3 === 0 });
  return JSON.stringify(parts);
}

function parse(source) {
  let count = 0;
  for (const item of JSON.parse(source))
    if (item.on) count += item.tags[2].length;
  return count;
}

function match(source) {
  return source.replace(/item (\d)(\d?)/g, (_, a, b) => b + a).match(/"name":"[0-9]+"/g).length;
}

function collect(n) {
  const seen = new Map();
  for (let i = 0; i < n; i++) {
    const key = `k${(i * 2654435761) % 1009}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return [...seen.entries()].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).length;
}

class Square { constructor(x) { this.x = x; } area() { return this.x * this.x; } }
class Circle { constructor(r) { this.r = r; } area() { return Math.PI * this.r * this.r; } }
class Oblong { constructor(w, h) { this.w = w; this.h = h; } area() { return this.w * this.h; } }

function shapes(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const shape = i % 3 === 0 ? new Square(i) : i % 3 === 1 ? new Circle(i) : new Oblong(i, 2);
    sum += Math.sqrt(shape.area());
  }
  return sum;
}

function sieve(n) {
  const composite = new Uint8Array(n);
  let count = 0;
  for (let i = 2; i < n; i++) {
    if (composite[i]) continue;
    count++;
    for (let j = i * 2; j < n; j += i) composite[j] = 1;
  }
  return count;
}

const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));

export const run = {
  run() {
    const rounds = Number(getArguments()[1] ?? 10);
    let sum = 0;
    for (let round = 0; rounds <= 0 || round < rounds; round++) {
      const source = text(400);
      sum += parse(source) + match(source) + collect(4000) + shapes(6000) + sieve(20000) + fib(16);
    }
    if (!(sum > 0)) throw new Error('no work was done');
  },
};
