import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { BrokerGates } from '#brokers/gates.ts'
import { BrokerBusy, type RequestClass, type RequestGate } from '#brokers/port.ts'

const STEP = 20

/** A limit that all who come from one address share, and that counts refused requests too. */
class AddressLimit {
  readonly #counted: number[] = []

  /** When so many requests came within a minute, each is refused. */
  answer(now: number, reportedWait: boolean): { status: number; headers: IncomingHttpHeaders } {
    const free = this.freeAt(now)
    this.#counted.push(now)
    if (free <= now) return { status: 200, headers: {} }
    return {
      status: 429,
      headers: reportedWait ? { 'retry-after': String(Math.ceil((free - now) / 1_000)) } : {},
    }
  }

  /** The instant from which on one more is let through, if nobody else asks. */
  freeAt(now: number): number {
    const recent = this.#counted.filter((at) => at > now - 60_000)
    return recent.length < 200 ? now : recent.at(-200)! + 60_000
  }
}

describe('three accounts behind one limit that counts refused requests', () => {
  for (const [words, reportedWait] of [
    ['names no wait', false],
    ['names the wait', true],
  ] as const)
    it(`three accounts behind one limit that counts refused requests and ${words}: an exit that is due leaves within two seconds of the limit’s end`, async () => {
      let now = 0
      const limit = new AddressLimit()
      // Another program has spent it.
      for (; now < 4_000; now += STEP) limit.answer(now, reportedWait)
      const gates = new BrokerGates({ perMinute: () => 200, now: () => now, wallClock: () => now })
      const send = async (gate: RequestGate, kind: RequestClass): Promise<number> => {
        try {
          const pass = await gate.enter(kind)
          const { status, headers } = limit.answer(now, reportedWait)
          pass.over(status, headers)
          return status === 429 ? 0 : -1
        } catch (error) {
          if (error instanceof BrokerBusy) return error.retryAfterMs
          throw error
        }
      }
      const accounts = ['a', 'b', 'c'].map((keyId) => ({
        gate: gates.of({ brokerType: 'alpaca', baseUrl: 'http://broker', credentials: { keyId } }),
        askAt: 0,
      }))
      let exitAt = 10_000
      let freeSince: number | null = null
      for (; now < 300_000; now += STEP) {
        for (const account of accounts)
          if (now >= account.askAt)
            account.askAt = now + Math.max(1_000, await send(account.gate, 'comparison'))
        freeSince = limit.freeAt(now) <= now ? (freeSince ?? now) : null
        if (now < exitAt) continue
        const wait = await send(accounts[0]!.gate, 'orders')
        if (wait < 0) break
        // As a workflow does: by the wait that it is told, or after half a second, and a little later than that.
        exitAt = now + Math.max(500, wait) + 200
      }
      assert.ok(now < 75_000, `the exit had not left after ${now} ms`)
      assert.ok(freeSince !== null && now - freeSince <= 2_000, `${now - freeSince!} ms after the end`)
    })
})
