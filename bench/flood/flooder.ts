import { setTimeout as sleep } from 'node:timers/promises'
import { shapeOf, type Shape, type ShapePlan } from './shapes.ts'

/** Task of a flooding process, as JSON in the environment variable FLOOD. */
export interface FloodPlan {
  /** API on this machine, such as http://127.0.0.1:3000. */
  address: string
  seconds: number
  shapes: ShapePlan[]
}

export interface Sent {
  kind: ShapePlan['kind']
  requests: number
  /** Counts by status; `no answer` until the end of the flood. */
  statuses: Record<string, number>
}

const STEP = 10

/** Sends requests of one kind at the permitted rate. */
async function flood(kind: ShapePlan['kind'], shape: Shape, milliseconds: number): Promise<Sent> {
  const sent: Sent = { kind, requests: 0, statuses: {} }
  const begun = performance.now()
  let underWay = 0
  const sendOne = async (): Promise<void> => {
    underWay += 1
    sent.requests += 1
    const status = await shape.send()
    underWay -= 1
    sent.statuses[status] = (sent.statuses[status] ?? 0) + 1
  }
  let mayBeSent = 1
  for (let at = begun; at < begun + milliseconds;) {
    for (; mayBeSent >= 1 && underWay < shape.atOnce; mayBeSent--) void sendOne()
    await sleep(STEP)
    const passed = performance.now() - at
    at += passed
    const due = (shape.perSecond((at - begun) / milliseconds) * passed) / 1_000
    // Requests for which the service was too slow are not made up for.
    mayBeSent = Math.min(mayBeSent + due, shape.atOnce)
  }
  if (underWay > 0) sent.statuses['no answer'] = underWay
  return { ...sent, statuses: { ...sent.statuses } }
}

/** A flooding process: reports its beginning, then its requests; its end closes all connections. */
async function main(): Promise<void> {
  const { address, seconds, shapes } = JSON.parse(process.env['FLOOD']!) as FloodPlan
  if (new URL(address).hostname !== '127.0.0.1') throw new Error(`${address} is not on this machine`)
  process.send!('begun')
  const flooding = shapes.map((plan) => flood(plan.kind, shapeOf(plan, address), seconds * 1_000))
  process.send!(await Promise.all(flooding))
}

for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, () => process.exit())
await main()
