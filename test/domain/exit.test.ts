import assert from 'node:assert/strict'
import { EXIT_STATUSES, mayCancelExit } from '#domain/exit.ts'
import { SIGNAL_STATUSES } from '#domain/signal-status.ts'

describe('the exit of a signal', () => {
  it('may be cancelled after the entry reached the broker and before an exit order is sent', () => {
    const allowed = SIGNAL_STATUSES.flatMap((signal) =>
      EXIT_STATUSES.filter((exit) => mayCancelExit(signal, exit)).map((exit) => `${signal} ${exit}`),
    )
    assert.deepEqual(allowed, ['executed waiting', 'executed scheduled'])
  })

  it('cannot be cancelled where the signal has none', () => {
    for (const signal of SIGNAL_STATUSES) assert.equal(mayCancelExit(signal, null), false)
  })
})
