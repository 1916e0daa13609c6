import assert from 'node:assert/strict'
import { findOpenSignal } from '#db/signal/record.ts'
import type { ExitChange } from '#domain/exit/protection-check.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const STOP: ExitChange = { stop: { percent: '5' } }
const NOTHING: ExitChange = { stop: null, target: null, trail: null, breakEven: null }

describe('an exit asked for after the end of its signal', function () {
  this.timeout(60_000)
  let { em, desk, lists } = {} as ActivityDesk
  useDesk((made) => {
    ;({ em, desk, lists } = made)
  })

  /** Ten shares of a signal whose order of the levels expired with the session, as its end has left it. */
  async function ended(changes = 'exit_rule = null'): Promise<string> {
    const { id } = await desk.opened()
    await em.execute(
      `update signals set closings = 1, counted_quantity = 10, ${changes},
         exit_progress = jsonb_build_object('generation', 2, 'coveredQuantity', '10', 'workingOrder', null, 'ended', '[]'::jsonb,
           'uncovered', jsonb_build_array(jsonb_build_object('clientOrderId', id || '-x1', 'quantity', '10')),
           'sessionEndsAt', '2026-03-02T21:00:00.000Z', 'cancelledBy', null, 'waits', '{}'::jsonb,
           'time', jsonb_build_object('at', null, 'lookAt', null))
       where id = ?`,
      [id],
    )
    await em.execute(
      `insert into signal_events (signal_id, key, kind, at, message, data) values (?, 'closed', 'closed', now(), 'over', 'null')`,
      [id],
    )
    assert.equal(await findOpenSignal(em, id), null)
    return id
  }
  let instant = Date.parse('2026-03-03T15:00:00.000Z')
  const changed = (
    signalId: string,
    change: ExitChange,
    { hasEnded = true, at = new Date((instant += 1)).toISOString() } = {},
  ) => desk.activities.recordProtectionChanged({ signalId, at, by: 'ann', change, hasEnded })
  const loaded = async (signalId: string) => {
    const { phase, exit } = await desk.activities.loadSignal({ signalId, at: new Date().toISOString() })
    return [phase, exit.coveredQuantity, exit.uncovered.length, exit.sessionEndsAt]
  }

  it('an exit asked for after the end of its signal is for all that the signal owns, also for every later asker', async () => {
    const id = await ended()
    const at = new Date((instant += 1)).toISOString()
    const first = await changed(id, STOP, { at })
    assert.equal('covered' in first && first.covered, '0')
    assert.deepEqual(await loaded(id), ['exiting', '0', 0, undefined])
    assert.deepEqual(await changed(id, STOP, { at }), first, 'asked again, after an answer that was lost')
    const alerts = await em.execute(`select kind from alerts where signal_id = ?`, [id])
    assert.deepEqual(alerts, [], 'nothing was filled late')
  })

  it('an exit asked for after the end of its signal leaves out the shares that others have closed', async () => {
    const id = await ended()
    await lists({ side: 'SELL', quantity: '4', orderFilled: '4' })
    const change = await changed(id, STOP)
    assert.equal('covered' in change && change.covered, '4')
  })

  it('an exit asked for after the end of its signal is refused where others have closed all of it', async () => {
    const id = await ended()
    await lists({ side: 'SELL', quantity: '10', orderFilled: '10' })
    assert.match(JSON.stringify(await changed(id, STOP)), /has ended/)
  })

  it('an exit asked for after the end of its signal can be taken away again, and changed', async () => {
    const id = await ended(`exit_rule = null, exit_cancelled_by = 'bob'`)
    assert.match(JSON.stringify(await changed(id, NOTHING)), /has ended/)
    assert.ok('protection' in (await changed(id, STOP)))
    assert.ok(await findOpenSignal(em, id), 'a cancelled exit is over')
    assert.ok('protection' in (await changed(id, { target: { percent: '9' } }, { hasEnded: false })))
    const last = await changed(id, NOTHING, { hasEnded: false })
    assert.deepEqual('protection' in last && last.protection, null)
  })

  it('an exit asked for after the end of its signal is refused where that had a time to leave', async () => {
    const id = await ended(`exit_rule = '{"trigger": {"type": "immediate"}}'::jsonb`)
    assert.match(JSON.stringify(await changed(id, STOP)), /has ended|nothing to protect/)
  })

  it('an exit asked for after the end of its signal is a new one, and takes the place of what the end has left', async () => {
    const id = await ended(
      `exit_rule = null, exit_status = 'cancelled', exit_reason = 'The stop and target have ended',
       protection = '{"stop": {"percent": "5"}, "target": {"percent": "10"}, "trail": null, "breakEven": null, "until": "session"}'::jsonb`,
    )
    const change = await changed(id, { stop: { percent: '8' } })
    const plan = { stop: { percent: '8' }, target: null, trail: null, breakEven: null, until: 'closed' }
    assert.deepEqual('protection' in change && change.protection, plan)
    const [row] = await em.execute('select exit_status, exit_reason from signals where id = ?', [id])
    assert.deepEqual(row, { exit_status: null, exit_reason: null })
  })

  it('an exit asked for after the end of its signal is none where an exit is being cancelled, or no order was ever sent', async () => {
    const id = await ended('exit_rule = null')
    await em.execute(`update signals set exit_cancelled_by = 'bob' where id = ?`, [id])
    assert.match(JSON.stringify(await changed(id, STOP, { hasEnded: false })), /cancelled by bob/)
    const { id: unsent } = await desk.accepted({ status: 'cancelled' })
    assert.match(JSON.stringify(await changed(unsent, STOP)), /has ended/)
  })
})
