import assert from 'node:assert/strict'
import { decideOnce, SignalAlreadyStopped } from '#db/orders/decisions.ts'
import { recordDue } from '#db/signals/decision-ledger.ts'
import { useApi } from '../support/use-api.ts'
import { addHook, type TestHook } from './support/hook.ts'
import { pluck } from '#test/support/pluck.ts'

const at = (second: number): string => `2026-03-02T15:00:${String(second).padStart(2, '0')}Z`
const to = (size: number, second?: number, ticker = 'NFLX') => ({
  ticker,
  action: size > 0 ? 'buy' : 'sell',
  market_position: size > 0 ? 'long' : size < 0 ? 'short' : 'flat',
  market_position_size: Math.abs(size),
  ...(second !== undefined && { timenow: at(second) }),
})
const step = (action: string, second: number, more: object = {}) => ({
  symbol: 'NFLX',
  action,
  quantity: 10,
  timenow: at(second),
  ...more,
})

/** Messages one after the other, and the statuses of their signals: w waits, s is superseded. */
const CASES: readonly [what: string, hook: Record<string, unknown>, messages: object[], becomes: string][] = [
  ['another position', {}, [to(5, 1), to(0, 2)], 'sw'],
  ['each of three positions', {}, [to(5, 1), to(0, 2), to(-5, 3)], 'ssw'],
  ['a position without a moment', {}, [to(5), to(0)], 'sw'],
  ['another symbol', {}, [to(5, 1), to(0, 2, 'TSLA')], 'ww'],
  ['an older position that arrives later', {}, [to(0, 2), to(5, 1)], 'ws'],
  ['the opposite step', { kind: 'json' }, [step('openLong', 1), step('openShort', 2)], 'sw'],
  ['a step of the same side, which adds', { kind: 'json' }, [step('openLong', 1), step('openLong', 2)], 'ww'],
  ['a step that closes', { kind: 'json' }, [step('openLong', 1), step('closeLong', 2)], 'sw'],
  ['a close of the other side', { kind: 'json' }, [step('openLong', 1), step('closeShort', 2)], 'ww'],
  ['the opening after a close', { kind: 'json' }, [step('closeLong', 1), step('openShort', 2)], 'ww'],
  ['an older step that arrives later', { kind: 'json' }, [step('closeLong', 2), step('openLong', 1)], 'ws'],
  ['the same word, where that does not add', { kind: 'signalstack' }, [step('buy', 1), step('buy', 2)], 'sw'],
  [
    'the same word, where that adds',
    { kind: 'signalstack', whenSame: 'add' },
    [step('buy', 1), step('buy', 2)],
    'ww',
  ],
  [
    'the opposite word, where the same adds',
    { kind: 'signalstack', whenSame: 'add' },
    [step('buy', 1), step('sell', 2)],
    'sw',
  ],
  [
    'a close, where the same word adds',
    { kind: 'signalstack', whenSame: 'add' },
    [step('buy', 1), step('buy', 2), step('close', 3, { quantity: null })],
    'ssw',
  ],
]

describe('a newer alert of a hook', () => {
  const api = useApi()

  const add = (changes: Record<string, unknown> = {}, more: { accounts?: number } = {}): Promise<TestHook> =>
    addHook(api, { executeMode: 'pending', ...changes }, more)
  const letters = (signals: { status: string; status_reason: string | null }[]): string =>
    signals
      .map(({ status, status_reason: reason }) =>
        status === 'pending' ? 'w' : reason === 'SUPERSEDED' ? 's' : '?',
      )
      .join('')

  for (const [what, changes, messages, becomes] of CASES)
    it(`a newer alert of a hook takes the place of what waits as it has to: ${what}`, async () => {
      const hook = await add(changes)
      for (const message of messages) {
        const { status, body } = await hook.send(message)
        assert.equal(status, 200, JSON.stringify(body))
      }
      assert.equal(letters(await hook.signals()), becomes)
    })

  it('a newer alert of a hook ends the older one with its reason, its timeline and its workflow, and it cannot be approved', async () => {
    const hook = await add()
    await hook.send(to(5, 1))
    await hook.send(to(0, 2))
    await api.whenIdle()
    const [older, newer] = await hook.signals()
    assert.match(older.status_detail, /newer alert/)
    const { status, body } = await hook.owner.call('POST', `/signals/${older.id}/process`, {})
    assert.deepEqual(
      [status, body.code ?? body.error?.code],
      [409, 'SIGNAL_NOT_PENDING'],
      JSON.stringify(body),
    )
    assert.match(JSON.stringify(body), /SUPERSEDED/)
    const { body: events } = await hook.owner.call('GET', `/signals/${older.id}/events`)
    assert.ok(
      events.data.events.some(
        ({ kind, message }: { kind: string; message: string }) =>
          kind === 'cancelled' && message.includes('newer alert'),
      ),
      JSON.stringify(events),
    )
    assert.deepEqual(
      api.gateway.messages
        .filter(
          ({ kind, to: { signalId } }) => kind === 'withdraw' && [older.id, newer.id].includes(signalId),
        )
        .map((one) => one.to.signalId),
      [older.id],
    )
    assert.equal(newer.status, 'pending')
  })

  it('a newer alert of a hook for several accounts takes the place on each', async () => {
    const hook = await add({}, { accounts: 3 })
    await hook.send(to(5, 1))
    await hook.send(to(0, 2))
    const signals = await hook.signals()
    assert.equal(letters(signals.slice(0, 3)), 'sss')
    assert.equal(letters(signals.slice(3)), 'www')
  })

  it('a repetition of an older alert takes the place of nothing', async () => {
    const hook = await add()
    await hook.send(to(5, 1))
    await hook.send(to(0, 2))
    await hook.send(to(5, 1))
    assert.equal(letters(await hook.signals()), 'sw')
  })

  it('an approval that comes to the ledger before a newer alert goes on, and one that is put back afterwards ends at the next approval', async () => {
    const hook = await add()
    await hook.send(to(5, 1))
    const [older] = await hook.signals()
    const em = api.database.em.fork()
    await em.execute(
      `update signals set status = 'queued', decided_by = 'x', decided_at = now() where id = ?`,
      [older.id],
    )
    await hook.send(to(0, 2))
    assert.deepEqual(pluck(await hook.signals(), 'status'), ['queued', 'pending'])
    await em.execute(
      `update signals set status = 'pending', decided_by = null, decided_at = null where id = ?`,
      [older.id],
    )
    const { status } = await hook.owner.call('POST', `/signals/${older.id}/process`, {})
    assert.equal(status, 409)
    assert.equal(letters(await hook.signals()), 'sw')
  })

  it('exactly one of an approval and a newer alert at the same instant counts, and no older order goes beside a newer one', async () => {
    const hook = await add()
    const outcomes = new Set<string>()
    // What a workflow does with an approval: it notes that the order is due, and then decides to send it.
    api.gateway.onApprove = async ({ signalId }, { by, sendBefore, quantity, limitPrice }) => {
      const em = api.database.em.fork()
      await recordDue(em, signalId, new Date().toISOString(), { by, sendBefore, quantity, limitPrice })
      try {
        await decideOnce(em, signalId, 'entry', { outcome: 'ready', quantity: '5', advisories: [] })
      } catch (error) {
        if (!(error instanceof SignalAlreadyStopped)) throw error
        return { status: 'cancelled', orderId: null, reason: 'SUPERSEDED', detail: null }
      }
      return { status: 'transmitted', orderId: null, reason: null, detail: null }
    }
    for (let round = 0; round < 24; round += 1) {
      const ticker = `NF${String.fromCharCode(65 + round)}`
      await hook.send(to(5, 1, ticker))
      const older = (await hook.signals()).at(-1)
      const delay = (milliseconds: number): Promise<unknown> =>
        new Promise((done) => setTimeout(done, milliseconds))
      const [approved, sent] = await Promise.all([
        delay(round % 6 < 3 ? 0 : 4 * (round % 6)).then(() =>
          hook.owner.call('POST', `/signals/${older.id}/process`, {}),
        ),
        delay(round % 6 < 3 ? 6 * (round % 6) : 0).then(() => hook.send(to(0, 2, ticker))),
      ])
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
      const now = (await hook.signals()).find(({ id }) => id === older.id)
      const isDecided = now.decisions.entry?.outcome === 'ready'
      assert.notEqual(
        now.status_reason === 'SUPERSEDED',
        isDecided,
        JSON.stringify([now.status, now.decisions]),
      )
      if (!isDecided) {
        assert.equal(approved.status, 409, JSON.stringify(approved.body))
        assert.match(JSON.stringify(approved.body), /newer alert/)
      }
      outcomes.add(isDecided ? 'approved' : 'superseded')
    }
    assert.ok(outcomes.size > 0)
  })
})
