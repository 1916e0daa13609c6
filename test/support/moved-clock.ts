import { readFileSync } from 'node:fs'

/**
 * Loaded before a process of the service, has its clock differ from the machine's by the milliseconds that a file holds, and
 * jump when they change. What measures durations (`performance.now`) goes on, as it does when a real clock is set.
 */
const LOOK_EVERY_MS = 100

const file = process.env['CLOCK_OFFSET_FILE']!
const RealDate = Date
let offset = 0
const read = (): void => {
  const written = Number(readFileSync(file, 'utf8'))
  if (Number.isFinite(written)) offset = written
}
const now = (): number => RealDate.now() + offset

read()
setInterval(read, LOOK_EVERY_MS).unref()
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, as) => Reflect.construct(target, args.length === 0 ? [now()] : args, as) as Date,
  get: (target, name, as) => (name === 'now' ? now : (Reflect.get(target, name, as) as unknown)),
})
