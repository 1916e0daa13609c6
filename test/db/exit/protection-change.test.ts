import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { recordProtectionChanged } from '#db/exit/protection-change.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { ExitChange } from '#domain/exit/protection-check.ts'
import { useDatabase } from '#test/support/database.ts'
import { createSignal } from '#test/support/factories.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { changeTo, exitAtOnce } from '#test/support/sample-signal.ts'

const PLAN: Protection = {
  stop: { price: '90' },
  target: { price: '110' },
  trail: null,
  breakEven: null,
  until: 'closed',
}
const BY_RISK: Partial<Signal> = { quantityType: 'riskPercent', status: 'queued', avgFillPrice: null }
const ENTERING: Partial<Signal> = { status: 'queued', avgFillPrice: null }
const AT = '2026-03-02T15:00:00.000Z'

describe('a change of levels in the ledger', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  const held = { status: 'executed', filledQuantity: '10', avgFillPrice: '100', protection: PLAN } as const
  const changed = ({ id: signalId }: Signal, change: ExitChange, by = 'ann', at = AT) =>
    recordProtectionChanged(em, { signalId, at, by, change })
  const kept = async ({ id }: Signal) => {
    const [row] = await em.execute<{ protection: Protection | null; revision: number }[]>(
      'select protection, exit_revision as revision from signals where id = ?',
      [id],
    )
    return row!
  }

  it('changes of levels that come at once are all in it', async () => {
    const signal = await createSignal(em, held)
    const changes: ExitChange[] = [
      { stop: { price: '97' } },
      { target: { price: '120' } },
      { trail: { percent: '5' } },
      { breakEven: { amount: '2' } },
      { until: 'session' },
    ]
    await Promise.all(changes.map((change, index) => changed(signal, change, `person ${index}`)))
    assert.deepEqual(await kept(signal), { protection: Object.assign({}, ...changes), revision: 5 })
    const told = (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'protection_changed')
    assert.equal(told.length, 5)
  })

  it('a change of levels that is tried again changes nothing that came after it', async () => {
    const signal = await createSignal(em, held)
    const first = { stop: { price: '97' } } as const
    await changed(signal, first)
    await changed(signal, { stop: { price: '98' } }, 'bob')
    const plan = { ...PLAN, stop: { price: '98' } }
    assert.deepEqual(await changed(signal, first), { protection: plan })
    assert.deepEqual(await kept(signal), { protection: plan, revision: 2 })
  })

  const faults: [
    name: string,
    earlier: ExitChange,
    change: ExitChange,
    fault: string,
    fields?: Partial<Signal>,
  ][] = [
    [
      'break-even without the stop that it moves',
      { stop: null },
      { breakEven: { percent: '1' } },
      'breakEven',
    ],
    ['a session of a plan that has ended', changeTo(null), { until: 'session' }, ''],
    [
      'a session of a trail that begins later',
      { stop: null, target: null, trail: { percent: '2', after: { percent: '5' } } },
      { until: 'session' },
      'until',
    ],
    ['a stop at zero', {}, { stop: { amount: '100' } }, 'stop'],
    [
      'a stop above the limit of the entry',
      {},
      { stop: { price: '96' } },
      'stop',
      { limitPrice: '95', ...ENTERING },
    ],
    ['no stop for a size by risk', { trail: { percent: '2' }, stop: null }, { trail: null }, 'stop', BY_RISK],
    ['an exit that takes all at once', {}, { target: null }, '', { exitRule: exitAtOnce }],
  ]
  for (const [name, earlier, change, path, fields] of faults)
    it(`a change of levels is refused, and leaves them, where it makes ${name}`, async () => {
      const signal = await createSignal(em, { ...held, ...fields })
      if (Object.keys(earlier).length > 0) assert.ok('protection' in (await changed(signal, earlier, 'bob')))
      const before = await kept(signal)
      const answer = await changed(signal, change)
      assert.ok('refused' in answer)
      assert.deepEqual(
        answer.faults.map((fault) => fault.path.join('.')),
        [path],
      )
      assert.match(answer.refused, /\w/)
      assert.deepEqual(await kept(signal), before)
    })

  it('a stop from which a size was worked out stays between its decision and the acceptance of its order', async () => {
    for (const [status, outcome, isLeft] of [
      ['queued', 'not decided', false],
      ['pending', 'held', false],
      ['queued', 'ready', true],
      ['transmitted', 'ready', true],
      ['executed', 'ready', false],
    ] as const) {
      const signal = await createSignal(em, { ...BY_RISK, protection: PLAN, status })
      if (outcome !== 'not decided') await decideOnce(em, signal.id, 'entry', { outcome })
      for (const part of ['stop', 'trail'] as const) {
        const answer = await changed(signal, { [part]: { percent: '3' } }, part)
        assert.deepEqual('refused' in answer && answer.faults, isLeft && [], `${status}, ${outcome}: ${part}`)
      }
      assert.ok('protection' in (await changed(signal, { target: { price: '120' } })))
    }
  })
})
