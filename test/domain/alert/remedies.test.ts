import assert from 'node:assert/strict'
import { AFTER_END, remedyAfterEnd, remedyOf, type AlertFacts } from '#domain/alert/remedies.ts'
import { ALERT_KINDS } from '#domain/alert/alert.ts'
import { STATUS_REASONS, type StatusReason } from '#domain/risk/denial.ts'
import { SIGNAL_ENDINGS } from '#domain/signal/end-notices.ts'
import { HALT_LEVELS } from '#domain/risk/halt.ts'

/** Every kind of order that ends: an opening and a closing signal, an order by hand, a line of "close all". */
const ORDERS = (['LONG', 'SHORT'] as const).flatMap((side) =>
  [true, false].flatMap((closes) =>
    [true, false].flatMap((isManual) =>
      (['0', '4'] as const).map((filled) => ({ side, closes, isManual, filled, isWhole: false })),
    ),
  ),
)
const CODES: readonly (StatusReason | null)[] = [...STATUS_REASONS, null]
const HALTS = [null, ...HALT_LEVELS] as const
const POSITIONS = ['10', '0', '-10', null] as const

/** What a sentence asks a person to do. */
const asksToClose = (text: string): boolean => /\bclose (it|the|what)\b/i.test(text)
const asksToSend = (text: string): boolean => /\b(send|place)\b/i.test(text)
const saysNothing = (text: string): boolean => /there is nothing to do/.test(text)

describe('the remedy of a signal or an order that ended', () => {
  const every = (check: (code: StatusReason | null, facts: AlertFacts, told: string) => void): void => {
    for (const code of CODES)
      for (const order of ORDERS)
        for (const position of POSITIONS)
          for (const halt of HALTS) {
            const facts = { order, position, halt }
            check(code, facts, `${code} ${JSON.stringify(facts)}: ${remedyAfterEnd(code, facts).text}`)
          }
  }
  const heldOf = ({ order, position }: AlertFacts): boolean | null =>
    position === null ? null : order!.side === 'LONG' ? position === '10' : position === '-10'

  it('the remedy of an ended order never asks anybody to close a position that is not held, or not known to be', () => {
    every((code, facts, told) => {
      const { act, text } = remedyAfterEnd(code, facts)
      if (heldOf(facts) === true && facts.order!.closes) return
      assert.doesNotMatch(text, /still open|close it/i, told)
      assert.notEqual(act, 'close', told)
    })
  })

  it('the remedy of an ended order never says that there is nothing to do while the shares of a close are held', () => {
    every((code, facts, told) => {
      if (!facts.order!.closes || heldOf(facts) === false) return
      const { act, text } = remedyAfterEnd(code, facts)
      assert.ok(act !== 'none' && !saysNothing(text), told)
    })
  })

  it('the remedy of an ended order is one sentence about one act: to close, to send again, to look, or nothing', () => {
    every((code, facts, told) => {
      const { act, text } = remedyAfterEnd(code, facts)
      assert.match(text, /^[A-Z].+\.$/, told)
      assert.equal(text.match(/\./g)!.length, 1, told)
      assert.doesNotMatch(text, /\d{4}-\d\d-\d\dT/, told)
      assert.equal(saysNothing(text), act === 'none', told)
      if (act === 'again') assert.ok(asksToSend(text) && !asksToClose(text), told)
      if (act === 'close') assert.ok(asksToClose(text), told)
      if (act === 'none') assert.ok(!asksToSend(text) && !asksToClose(text), told)
    })
  })

  it('the remedy of an ended order begins with resuming where a stop would refuse the order', () => {
    every((code, facts, told) => {
      const { act, text } = remedyAfterEnd(code, facts)
      const { order, halt } = facts
      if (act === 'close') assert.notEqual(halt, 'fullStop', told)
      if (act === 'again') assert.ok(halt === null || (order!.isManual && halt === 'pauseEntries'), told)
      if (act === 'resume') assert.match(text, /resume trading/i, told)
    })
  })

  it('the remedy of an ended order is "nothing to do" for a close that found nothing to close', () => {
    const order = { side: 'LONG', closes: true, isManual: false, filled: '0', isWhole: false } as const
    const remedy = remedyAfterEnd('NO_POSITION_TO_CLOSE', { order, position: '0', halt: null })
    assert.deepEqual(remedy, { act: 'none', text: 'Nothing is held: there is nothing to do.' })
  })

  it('the remedy of an ended order looks at an entry that has filled since it ended, instead of asking for it again', () => {
    for (const code of CODES) {
      const order = { side: 'LONG', closes: false, isManual: false, filled: '10', isWhole: true } as const
      assert.equal(remedyAfterEnd(code, { order, position: '10', halt: null }).act, 'look', `${code}`)
    }
  })

  it('the remedy of an ended order is never asked for where a person or the sender ended it: such ends raise no alert', () => {
    const ENDED_BY = {
      DECLINED: 'declined',
      WITHDRAWN: 'withdrawn',
      EXPIRED: 'expired',
      SUPERSEDED: 'superseded',
      AT_TARGET: 'at_target',
      TARGET_SUPERSEDED: 'target_superseded',
    } as const
    const own = STATUS_REASONS.filter((code) => 'own' in AFTER_END[code])
    assert.deepEqual(
      own.toSorted(),
      Object.entries(ENDED_BY)
        .filter(([, ending]) => 'nothing' in SIGNAL_ENDINGS[ending].telling)
        .map(([code]) => code)
        .toSorted(),
    )
  })
})

const ACTS = ['none', 'wait', 'close', 'again', 'resume', 'look', 'mend']

describe('the remedy of an alert', () => {
  const signal = { side: 'LONG', closes: false, isManual: false, filled: '10', isWhole: true } as const
  const DETAILS = [
    {},
    { trouble: 'held' },
    { trouble: 'uncovered' },
    { trouble: 'held', beyond: '90' },
    { cause: 'halted' },
    { cause: 'step_failing' },
    { hasEnded: true },
    { isPassedOver: true },
    { unread: ['e1'] },
    { symbol: 'AAPL' },
  ]

  it('the remedy of an alert is one act for every kind, in words that name no button of a page', () => {
    for (const kind of ALERT_KINDS)
      for (const details of DETAILS)
        for (const position of POSITIONS)
          for (const halt of HALTS) {
            const { act, text } = remedyOf(kind, details, { order: signal, position, halt })
            assert.ok(ACTS.includes(act), `${kind} ${JSON.stringify(details)}: ${act}`)
            assert.match(text, /^[A-Z].+\.$/, kind)
            assert.doesNotMatch(text, /\bpress\b|\d{4}-\d\d-\d\dT/i, kind)
          }
  })

  it('the remedy of an alert never asks to close shares of a signal that are not held any more', () => {
    for (const kind of [
      'unprotected_position',
      'fill_after_end',
      'exit_unfilled',
      'protection_blind',
    ] as const)
      for (const details of DETAILS)
        for (const halt of HALTS) {
          const remedy = remedyOf(kind, details, { order: signal, position: '0', halt })
          assert.equal(remedy.act, 'none', `${kind} ${remedy.text}`)
          const held = remedyOf(kind, details, { order: signal, position: '10', halt })
          assert.ok(held.act !== 'none' && !saysNothing(held.text), `${kind} ${held.text}`)
        }
  })

  it('the remedy of an alert under a full stop, which refuses closing by hand too, is to resume', () => {
    for (const [kind, details] of [
      ['unprotected_position', { trouble: 'held' }],
      ['unprotected_position', { trouble: 'uncovered' }],
      ['protection_blind', {}],
      ['exit_unfilled', { isPassedOver: true }],
      ['not_flat', { hasEnded: true }],
      ['action_overdue', { cause: 'halted' }],
    ] as const) {
      const { act, text } = remedyOf(kind, details, { order: signal, position: '10', halt: 'fullStop' })
      assert.equal(act, 'resume', kind)
      assert.match(text, /^Resume trading, or switch to Reduce only/, kind)
    }
  })
})
