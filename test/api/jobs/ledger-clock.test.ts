import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { createLedgerClock, type LedgerClock } from '#api/jobs/housekeeping.ts'
import type { Database } from '#db/engine/database.ts'
import { createAccount } from '../../support/factories.ts'
import { addPerson } from '../support/person.ts'
import { signalBody } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('the clock of the ledger', () => {
  /** What PostgreSQL says when it is asked, in seconds by which it is ahead; null while it does not answer. */
  let ahead: number | null
  const em = {
    async execute() {
      if (ahead === null) throw new Error('the database is away')
      return [{ now: Date.now() / 1_000 + ahead }]
    },
  }
  const database = { em: { fork: () => em } } as unknown as Database
  let clock: LedgerClock
  beforeEach(() => {
    clock = createLedgerClock(database, pino({ level: 'silent' }))
  })
  afterEach(() => clock.stop())
  const difference = async (): Promise<number> => {
    clock.start()
    await pause(20)
    // Both clocks may go on between the two looks; there is no -0 in seconds.
    return Math.round((clock.now() - Date.now()) / 1_000) + 0
  }

  for (const seconds of [20, -300])
    it(`the clock of the ledger is that of PostgreSQL, which is ${seconds} seconds ahead`, async () => {
      ahead = seconds
      assert.equal(await difference(), seconds)
    })

  it('the clock of the ledger is that of the process where the difference may be one of measuring, and while PostgreSQL does not answer', async () => {
    for (const found of [0.9, null]) {
      ahead = found
      assert.equal(await difference(), 0)
    }
  })
})

describe('an API whose clock is two minutes ahead of PostgreSQL', () => {
  const now = () => Date.now() - 120_000
  const api = useApi({ now })
  const isNow = (instant: string | number) =>
    assert.ok(Math.abs(new Date(instant).getTime() - now()) < 5_000, String(instant))

  it('dates signals, and until when they may be sent, by the clock of PostgreSQL', async () => {
    const user = await api.addUser()
    const body = signalBody(user.accountId)
    await api.call('POST', '/api/v1/signals', { token: user.token, body })
    const [terms] = api.gateway.awaited.at(-1)!
    isNow(terms.acceptedAt)
    isNow(Date.parse(terms.sendBefore!) - 60_000)
    const rows = await api.database.em
      .fork()
      .execute<{ accepted_at: string }[]>('select accepted_at from signals where id = ?', [terms.signalId])
    isNow(rows[0]!.accepted_at)
  })

  it('gives an approval as long as it may be old by the clock of PostgreSQL', async () => {
    const person = await addPerson(api)
    const { id: accountId } = await createAccount(api.database.em, { userId: person.userId })
    const { body: sent } = await person.call(
      'POST',
      '/signals',
      signalBody(accountId, { executeMode: 'pending' }),
    )
    assert.ok(sent.signal, JSON.stringify(sent))
    await person.call('POST', `/signals/${sent.signal.id}/process`, {})
    const { content } = api.gateway.messages.at(-1)!
    isNow(Date.parse((content as { sendBefore: string }).sendBefore) - 60_000)
  })

  it('dates orders by hand, and until when they may be sent, by the clock of PostgreSQL', async () => {
    const user = await api.addUser()
    const body = { accountId: user.accountId, symbol: 'AAPL', side: 'BUY', orderType: 'MARKET', quantity: 10 }
    await api.call('POST', '/api/v1/orders', { token: user.token, body })
    const placed = api.gateway.placed.at(-1)!
    isNow(placed.acceptedAt)
    isNow(Date.parse(placed.sendBefore) - 60_000)
  })
})
