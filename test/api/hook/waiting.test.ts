import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { decideOnce, SignalAlreadyStopped } from '#db/order/decisions.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { pluck } from '#test/support/pluck.ts'
import { useApi } from '../support/use-api.ts'
import { addHook } from './support/hook.ts'

const at = (second: number): string => `2026-03-02T15:00:${String(second).padStart(2, '0')}Z`
const to = (size: number, second?: number, ticker = 'NFLX') => ({
  ticker,
  action: size > 0 ? 'buy' : 'sell',
  market_position: size > 0 ? 'long' : size < 0 ? 'short' : 'flat',
  market_position_size: Math.abs(size),
  ...(second !== undefined && { timenow: at(second) }),
})
const STEP = { symbol: 'NFLX', quantity: 10 }
const step = (action: string, second: number, more: object = {}) => ({
  ...STEP,
  action,
  timenow: at(second),
  ...more,
})
const JSON_HOOK = { kind: 'json' }
const WORDS = { kind: 'signalstack' }
const ADDS = { ...WORDS, whenSame: 'add' }

/** Messages one after the other, and the statuses of their signals: w waits, s is superseded. */
const CASES: readonly [what: string, hook: object, messages: object[], becomes: string][] = [
  ['another position', {}, [to(5, 1), to(0, 2)], 'sw'],
  ['each of three positions', {}, [to(5, 1), to(0, 2), to(-5, 3)], 'ssw'],
  ['a position without a moment', {}, [to(5), to(0)], 'sw'],
  ['another symbol', {}, [to(5, 1), to(0, 2, 'TSLA')], 'ww'],
  ['an older position that arrives later', {}, [to(0, 2), to(5, 1)], 'ws'],
  ['a repetition of an older position', {}, [to(5, 1), to(0, 2), to(5, 1)], 'sw'],
  ['the opposite step', JSON_HOOK, [step('openLong', 1), step('openShort', 2)], 'sw'],
  ['a step of the same side, which adds', JSON_HOOK, [step('openLong', 1), step('openLong', 2)], 'ww'],
  ['a step that closes', JSON_HOOK, [step('openLong', 1), step('closeLong', 2)], 'sw'],
  ['a close of the other side', JSON_HOOK, [step('openLong', 1), step('closeShort', 2)], 'ww'],
  ['the opening after a close', JSON_HOOK, [step('closeLong', 1), step('openShort', 2)], 'ww'],
  ['an older step that arrives later', JSON_HOOK, [step('closeLong', 2), step('openLong', 1)], 'ws'],
  ['the same word, where that does not add', WORDS, [step('buy', 1), step('buy', 2)], 'sw'],
  ['the same word, where that adds', ADDS, [step('buy', 1), step('buy', 2)], 'ww'],
  ['the opposite word, where the same adds', ADDS, [step('buy', 1), step('sell', 2)], 'sw'],
  [
    'a close, where the same word adds',
    ADDS,
    [step('buy', 1), step('buy', 2), step('close', 3, { quantity: null })],
    'ssw',
  ],
]

describe('what waits of a hook', () => {
  const api = useApi()

  describe('a newer alert of a hook', () => {
    const add = (changes: object = {}, more: { accounts?: number } = {}) =>
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

    it('a newer alert of a hook ends the older one on each account with its reason, its timeline and its workflow, and it cannot be approved', async () => {
      const hook = await add({}, { accounts: 2 })
      await hook.send(to(5, 1))
      await hook.send(to(0, 2))
      await api.whenIdle()
      const signals = await hook.signals()
      assert.equal(letters(signals), 'ssww')
      const [older, other] = signals
      assert.match(older.status_detail, /newer alert/)
      const { status, body } = await hook.owner.call('POST', `/signals/${older.id}/process`, {})
      assert.deepEqual([status, body.code], [409, 'SIGNAL_NOT_PENDING'], JSON.stringify(body))
      assert.match(body.error, /SUPERSEDED/)
      const { events } = (await hook.owner.call('GET', `/signals/${older.id}/events`)).body.data
      const [cancelled] = events.filter(({ kind }: { kind: string }) => kind === 'cancelled')
      assert.match(cancelled.message, /newer alert/)
      const told = api.gateway.messages.filter(
        ({ kind, to: { signalId } }) => kind === 'withdraw' && pluck(signals, 'id').includes(signalId),
      )
      assert.deepEqual(new Set(told.map((one) => one.to.signalId)), new Set([older.id, other.id]))
    })

    it('an approval that comes to the ledger before a newer alert goes on, and one that is put back afterwards ends at the next approval', async () => {
      const hook = await add()
      await hook.send(to(5, 1))
      const [older] = await hook.signals()
      const set = (columns: string) =>
        api.database.em.fork().execute(`update signals set ${columns} where id = ?`, [older.id])
      await set(`status = 'queued', decided_by = 'x', decided_at = now()`)
      await hook.send(to(0, 2))
      assert.deepEqual(pluck(await hook.signals(), 'status'), ['queued', 'pending'])
      await set(`status = 'pending', decided_by = null, decided_at = null`)
      assert.equal((await hook.owner.call('POST', `/signals/${older.id}/process`, {})).status, 409)
      assert.equal(letters(await hook.signals()), 'sw')
    })

    it('exactly one of an approval and a newer alert at the same instant counts, and no older order goes beside a newer one', async () => {
      const hook = await add()
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
      for (let round = 0; round < 12; round += 1) {
        const ticker = `NF${String.fromCharCode(65 + round)}`
        await hook.send(to(5, 1, ticker))
        const older = (await hook.signals()).at(-1)
        const ahead = 6 * ((round % 6) - 3)
        const [approved, sent] = await Promise.all([
          delay(Math.max(0, ahead)).then(() => hook.owner.call('POST', `/signals/${older.id}/process`, {})),
          delay(Math.max(0, -ahead)).then(() => hook.send(to(0, 2, ticker))),
        ])
        assert.equal(sent.status, 200, JSON.stringify(sent.body))
        const now = (await hook.signals()).find(({ id }) => id === older.id)
        const isDecided = now.decisions.entry?.outcome === 'ready'
        assert.notEqual(
          now.status_reason === 'SUPERSEDED',
          isDecided,
          JSON.stringify([now.status, now.decisions]),
        )
        if (isDecided) continue
        assert.equal(approved.status, 409, JSON.stringify(approved.body))
        assert.match(approved.body.error, /newer alert/)
      }
    })
  })

  describe('the wait of a hook for approval', () => {
    /** Minutes from the receipt of the message to the end of the wait; null for no end. */
    async function waitOf(changes: Record<string, unknown>, message: object = to(5)): Promise<number | null> {
      const hook = await addHook(api, { executeMode: 'pending', ...changes })
      const { status, body } = await hook.send(message)
      assert.equal(status, 200, JSON.stringify(body))
      const [[request], [signal]] = [await hook.requests(), await hook.signals()]
      if (signal.valid_until === null) return null
      return (new Date(signal.valid_until).getTime() - Date.parse(request.receivedAt)) / 60_000
    }

    for (const [what, changes, minutes] of [
      ['ten minutes where nothing is chosen', {}, 10],
      ['as chosen', { approvalMinutes: 45 }, 45],
      ['as chosen in text', { approvalMinutes: '7' }, 7],
      ['without an end where that is chosen', { approvalMinutes: null }, null],
      ['at most a week', { approvalMinutes: 10_080 }, 10_080],
      ['of signals that are sent at once has no end', { executeMode: 'immediate' }, null],
    ] as const)
      it(`the wait of a hook for approval lasts ${what}`, async () =>
        assert.equal(await waitOf(changes), minutes))

    it('the wait of a hook for approval is refused beyond a week, of nothing, and as anything but whole minutes', async () => {
      const { owner, id } = await addHook(api)
      for (const approvalMinutes of [0, -1, 10_081, 1.5, 'ten', '', true, [10]]) {
        const { status, body } = await owner.call('PATCH', `/hooks/${id}`, { approvalMinutes })
        assert.equal(status, 400, JSON.stringify(approvalMinutes))
        assert.match(JSON.stringify(body), /approvalMinutes/)
      }
    })

    it('the wait of a hook for approval ends by the message where that says an earlier end, and by the hook where it says a later one', async () => {
      const until = (minutes: number) => ({
        ...STEP,
        action: 'openLong',
        timezone: 'UTC',
        validUntil: new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 19),
      })
      const earlier = await waitOf(JSON_HOOK, until(3))
      assert.ok(earlier !== null && earlier > 2 && earlier <= 3, String(earlier))
      assert.equal(await waitOf(JSON_HOOK, until(30)), 10)
    })

    it('the wait of a hook for approval is ten minutes for a hook that was stored without a choice', async () => {
      const hook = await addHook(api, { executeMode: 'pending' })
      await api.database.em
        .fork()
        .execute(`update hooks set settings = settings - 'approvalMinutes' where id = ?`, [hook.id])
      const { body } = await hook.owner.call('GET', `/hooks/${hook.id}`)
      assert.equal(body.data.hook.approvalMinutes, 10)
      assert.equal((await hook.send(to(5))).status, 200)
      assert.ok(new Date((await hook.signals())[0].valid_until).getTime() > Date.now())
    })
  })
})
