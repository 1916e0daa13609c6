import assert from 'node:assert/strict'
import { mayOpen, type EntryState } from '#domain/risk/may-open.ts'
import { mayBecome, SIGNAL_STATUSES, type SignalStatus } from '#domain/signal/signal.ts'
import { ENTRY_KINDS, type EntryKind } from '#test/support/entry-kinds.ts'

type Row = Record<EntryKind, string>
const NEVER: Row = { opens: '.', closes: '.', goesToTarget: '.', goesToZero: '.', reverses: '.' }
const every = (how: string): Row => ({ ...NEVER, opens: how, goesToTarget: how, reverses: how })
/** The order of a target is to open, unless it is the close before a reversal. */
const DECIDED: Row = { ...NEVER, opens: 'leaving', goesToTarget: 'leaving', reverses: 'crossing' }

/** Every status and kind is decided here, one by one; a point is certain to open nothing. */
const TABLE: Record<SignalStatus, { undecided: Row; decided: Row }> = {
  pending: { undecided: every('undecided'), decided: DECIDED },
  scheduled: { undecided: every('undecided'), decided: DECIDED },
  queued: { undecided: every('undecided'), decided: DECIDED },
  transmitted: { undecided: every('leaving'), decided: DECIDED },
  executed: {
    undecided: { ...NEVER, reverses: 'crossing' },
    decided: { ...NEVER, reverses: 'crossing' },
  },
  rejected: { undecided: NEVER, decided: NEVER },
  cancelled: { undecided: NEVER, decided: NEVER },
  error: { undecided: NEVER, decided: NEVER },
}

const opening = { action: 'openLong', works: false, hasEnded: false } as const

describe('a signal that may still open a position', () => {
  for (const status of SIGNAL_STATUSES)
    for (const [decided, row] of Object.entries(TABLE[status]))
      it(`a signal that is ${status} and ${decided} may open a position, or is certain not to, by its kind`, () => {
        const judge = (kind: EntryKind, changes: Partial<EntryState> = {}) =>
          mayOpen({
            status,
            ...ENTRY_KINDS[kind],
            isDecided: decided === 'decided',
            works: false,
            hasEnded: false,
            ...changes,
          }) ?? '.'
        const kinds = Object.keys(ENTRY_KINDS) as EntryKind[]
        assert.deepEqual(Object.fromEntries(kinds.map((kind) => [kind, judge(kind)])), row)
        assert.equal(judge('opens', { works: true }), 'working', 'an order works')
        assert.equal(judge('closes', { works: true }), '.', 'the order that works closes')
      })

  for (const status of SIGNAL_STATUSES)
    it(`a signal that is ${status} may open a position without an order on record exactly if it may become executed`, () => {
      const how = mayOpen({ ...opening, status, isDecided: false })
      assert.equal(how !== null, mayBecome(status, 'executed'))
    })

  it('a reversal that has ended opens nothing by itself: its continuation does', () => {
    const ended = { ...ENTRY_KINDS.reverses, isDecided: true, works: false, hasEnded: true }
    assert.equal(mayOpen({ status: 'executed', ...ended }), null)
  })
})
