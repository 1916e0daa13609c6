import assert from 'node:assert/strict'
import type { Signal } from '#db/entities/index.ts'
import { readExitSizeFacts } from '#db/exit/exits.ts'
import { recordExitTrouble } from '#db/signal/ledger.ts'
import type { ExitRule, ShownBeyond } from '#domain/exit/exit.ts'
import { createAccount, createSignal } from '../../support/factories.ts'
import { exitAtOnce } from '../../support/sample-signal.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, type Person } from '../support/person.ts'
import { pluck } from '#test/support/pluck.ts'

describe('POST /signals/:id/exit/size', () => {
  const api = useApi({ answerDeadline: 1_000 })
  let person: Person
  let accountId: string
  before(async function () {
    this.timeout(60_000)
    person = await addPerson(api)
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
  })

  /** A signal whose exit has stopped at a hundred shares where its fills give ten. */
  async function stopped(exitRule: ExitRule = exitAtOnce, more: Partial<ShownBeyond> = {}): Promise<Signal> {
    const { em } = api.database
    const signal = await createSignal(em, {
      accountId,
      status: 'executed',
      exitRule,
      exitStatus: 'scheduled',
    })
    await recordExitTrouble(em, signal.id, new Date().toISOString(), {
      kind: 'held',
      code: null,
      generation: 1,
      detail: 'the broker shows LONG 100 of AAPL where LONG 10 are held by the fills',
      beyond: { shown: '100', own: '10', ...more },
      acknowledges: [],
    })
    return signal
  }
  const choose = (id: string, body: object) => person.call('POST', `/signals/${id}/exit/size`, body)
  const choiceOf = async ({ id }: Signal) => (await readExitSizeFacts(api.database.em, id)).choice

  it('keeps the choice, has the exit tried at once, and answers 202 with the signal; another choice replaces it', async () => {
    const signal = await stopped()
    const { status, body } = await choose(signal.id, { quantity: 100 })
    assert.deepEqual([status, body.data.signal.id], [202, signal.id], JSON.stringify(body))
    const { at: _, ...choice } = (await choiceOf(signal))!
    const prices = { limitPrice: null, stopPrice: null }
    assert.deepEqual(choice, { quantity: '100', shown: '100', ...prices, by: person.email })
    assert.deepEqual(api.gateway.retried.at(-1), signal.id)
    await choose(signal.id, { quantity: 10 })
    assert.equal((await choiceOf(signal))?.quantity, '10')
  })

  it('answers 400 to more shares than the broker shows, and to prices that the exit does not have', async () => {
    const signal = await stopped()
    const { status, body } = await choose(signal.id, { quantity: 101, limitPrice: 12 })
    assert.equal(status, 400)
    assert.deepEqual(pluck(body.details, 'field'), ['limitPrice', 'quantity'])
    assert.equal(await choiceOf(signal), null)
  })

  it('wants the limit of an exit named again', async () => {
    const signal = await stopped({ ...exitAtOnce, orderType: 'limit', limitPrice: '120' })
    const { status, body } = await choose(signal.id, { quantity: 100 })
    assert.deepEqual([status, body.details[0].field], [400, 'limitPrice'])
    assert.match(body.details[0].message, /that of the exit, 120, was named before its shares changed/)
    assert.equal((await choose(signal.id, { quantity: 100, limitPrice: 12 })).status, 202)
    assert.equal((await choiceOf(signal))?.limitPrice, '12')
  })

  it('adjusts limit and stop by a split that is known, unless they are named', async () => {
    const rule = { ...exitAtOnce, orderType: 'stopLimit', limitPrice: '119.55', stopPrice: '0.5' } as const
    const split = { date: '2026-03-02', own: '100' } as const
    const signal = await stopped(rule, { split })
    assert.equal((await choose(signal.id, { quantity: 100 })).status, 202)
    const adjusted = (await choiceOf(signal))!
    assert.deepEqual([adjusted.limitPrice, adjusted.stopPrice], ['11.95', '0.05'])
    await choose(signal.id, { quantity: 100, limitPrice: 12 })
    const named = (await choiceOf(signal))!
    assert.deepEqual([named.limitPrice, named.stopPrice], ['12', '0.05'])
  })

  it('answers 409 EXIT_NOT_ASKED where nothing is asked', async () => {
    const signal = await createSignal(api.database.em, {
      accountId,
      exitRule: exitAtOnce,
      exitStatus: 'scheduled',
    })
    const { status, body } = await choose(signal.id, { quantity: 10 })
    assert.deepEqual([status, body.code], [409, 'EXIT_NOT_ASKED'])
  })
})
