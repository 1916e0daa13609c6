import assert from 'node:assert/strict'
import { EXIT_STATUSES } from '#domain/exit/exit.ts'
import {
  isFailed,
  mayBeWithdrawn,
  mayCancelExit,
  FREED_STATUSES,
  mayBecome,
  SIGNAL_STATUSES,
  statusesBefore,
  type SignalStatus,
} from '#domain/signal/signal.ts'

/** Rows: from. Columns, in the order of SIGNAL_STATUSES: to. Every pair is decided here, one by one. */
const TABLE: Record<SignalStatus, string> = {
  //           pending scheduled queued transmitted executed rejected cancelled error
  pending: '     .       .         x      x           x        x        x         x',
  scheduled: '   x       .         x      x           x        x        x         x',
  queued: '      x       .         .      x           x        x        x         x',
  transmitted: ' x       .         .      .           x        x        x         x',
  executed: '    .       .         .      .           .        x        x         .',
  rejected: '    .       .         .      .           .        .        .         .',
  cancelled: '   .       .         .      .           .        .        .         .',
  error: '       .       .         .      .           .        .        .         .',
}

describe('signal status', () => {
  for (const from of SIGNAL_STATUSES) {
    const row = TABLE[from].trim().split(/\s+/)
    SIGNAL_STATUSES.forEach((to, column) => {
      const allowed = row[column] === 'x'
      it(`${from} ${allowed ? 'may become' : 'never becomes'} ${to}`, () => {
        assert.equal(mayBecome(from, to), allowed)
        assert.equal(statusesBefore(to).includes(from), allowed)
      })
    })
  }

  it('signal status has a row and a column for every status', () => {
    for (const from of SIGNAL_STATUSES) {
      assert.equal(TABLE[from].trim().split(/\s+/).length, SIGNAL_STATUSES.length)
    }
  })

  it('frees the sourceId in exactly the three statuses that nothing leaves', () => {
    const ended = SIGNAL_STATUSES.filter((from) => !SIGNAL_STATUSES.some((to) => mayBecome(from, to)))
    assert.deepEqual(SIGNAL_STATUSES.filter(isFailed), ended)
    assert.deepEqual([...FREED_STATUSES], ended)
  })

  it('lets a signal be withdrawn until the sending of its order is decided', () => {
    assert.deepEqual(SIGNAL_STATUSES.filter(mayBeWithdrawn), ['pending', 'scheduled', 'queued'])
  })

  it('lets an exit be cancelled after the entry reached the broker and before an exit order is sent', () => {
    const allowed = SIGNAL_STATUSES.flatMap((signal) =>
      EXIT_STATUSES.filter((exit) => mayCancelExit(signal, exit)).map((exit) => `${signal} ${exit}`),
    )
    assert.deepEqual(allowed, ['executed waiting', 'executed scheduled'])
  })

  it('lets no exit be cancelled where the signal has none', () => {
    for (const signal of SIGNAL_STATUSES) assert.equal(mayCancelExit(signal, null), false)
  })

  it('reaches an end from every status', () => {
    for (const from of SIGNAL_STATUSES) {
      assert.ok(isFailed(from) || FREED_STATUSES.some((end) => mayBecome(from, end)), from)
    }
  })
})
