import assert from 'node:assert/strict'
import { isInTime } from '#activities/signal/opening.ts'
import type { EntryFacts } from '#db/order/entry-facts.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'

const at = (minute: number | null): string | null =>
  minute === null ? null : new Date(Date.UTC(2026, 2, 2, 15, minute)).toISOString()

describe('the time of an entry', () => {
  // Minutes: the end that the sender asked for, the age at which it is too old, the end of its wait for earlier signals, now.
  for (const [validUntil, sendBefore, sequencingUntil, now, expected] of [
    [null, null, null, 50, true],
    [20, null, null, 19, true],
    [20, null, null, 20, false],
    [20, 10, null, 15, true],
    [10, 20, null, 15, false],
    [null, 20, null, 19, true],
    [null, 20, null, 20, false],
    [null, 20, 30, 25, true],
    [null, 20, 30, 30, false],
    [20, null, 30, 25, false],
  ] as const)
    it(`the time of an entry valid until ${validUntil}, sent before ${sendBefore}, waiting until ${sequencingUntil}, at ${now} is ${expected ? 'there' : 'past'}`, () => {
      const terms = { validUntil: at(validUntil), sendBefore: at(sendBefore) } as SignalTerms
      const facts = { asOf: at(now), sequencingUntil: at(sequencingUntil) } as EntryFacts
      assert.equal(isInTime(terms, facts), expected)
    })
})
