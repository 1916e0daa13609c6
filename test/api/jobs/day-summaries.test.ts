import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createDaySummaries, endedDay } from '#api/jobs/day-summaries.ts'
import { noticeOf } from '#api/notify/message.ts'
import type { Database } from '#db/engine/database.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import { saveChoices } from '#db/notify/choices.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { DEFAULT_CHOICES } from '#domain/alert/notification-choices.ts'
import { takeDueNotices } from '#db/notify/outbox.ts'
import type { Signal } from '#db/entities/index.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import pino from 'pino'
import { useDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { createAccount, createPosition, createSignal, createTrade } from '../../support/factories.ts'
import { subscribeBrowser } from '../support/push.ts'

describe('the day whose summary is sent', () => {
  const dayAt = (now: string): string | null => endedDay(now)?.date ?? null

  it('the day of a summary is known some minutes after the close, until the next session opens', () => {
    assert.equal(dayAt('2026-03-02T20:59:00.000Z'), null)
    assert.equal(dayAt('2026-03-02T21:04:59.999Z'), null)
    assert.equal(dayAt('2026-03-02T21:05:00.000Z'), '2026-03-02')
    assert.equal(dayAt('2026-03-03T14:29:59.999Z'), '2026-03-02')
    assert.equal(dayAt('2026-03-03T14:30:00.000Z'), null)
  })

  it('the day of a summary ends early on a half day, and is the last one over a holiday and a weekend', () => {
    // The day after Thanksgiving closes at 13:00, and Thanksgiving has no session.
    assert.equal(dayAt('2026-11-27T18:04:00.000Z'), null)
    assert.equal(dayAt('2026-11-27T18:05:00.000Z'), '2026-11-27')
    assert.equal(dayAt('2026-11-26T22:00:00.000Z'), '2026-11-25')
    assert.equal(dayAt('2026-11-29T12:00:00.000Z'), '2026-11-27')
  })
})

describe('summaries of the day', function () {
  this.timeout(60_000)
  let database: Database
  let account: { id: string; userId: string }
  /** Monday after the close, as the test clock begins. */
  const CLOSED = Date.parse('2026-03-02T21:30:00.000Z')

  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    await database.em.execute('delete from users')
    await database.em.execute('delete from outbox')
    account = await createAccount(database.em)
    await subscribeBrowser(database.em, account.userId)
    await saveChoices(database.em.fork(), account.userId, {
      ...DEFAULT_CHOICES,
      daySummary: true,
      showFigures: true,
    })
  })

  /** A process runs at that time, for as long as it takes to look once. */
  async function runAt(now: number): Promise<void> {
    let looks = 0
    const clock = () => {
      looks += 1
      return now
    }
    const part = createDaySummaries(database, pino({ level: 'silent' }), clock)
    part.start()
    await eventually(() => assert.ok(looks > 0))
    await part.stop()
  }
  const written = () =>
    database.em.execute<{ day: string; figures: object }[]>(
      `select day::text, figures - 'letter' as figures from day_summaries order by day`,
    )
  const trade = async (
    exitAt: string,
    realisedPnl: Decimal,
    signalId: string | null = null,
    symbol = 'AAPL',
  ) =>
    void (await createTrade(database.em, {
      accountId: account.id,
      realisedPnl,
      exitAt: new Date(exitAt),
      signalId,
      symbol,
    }))
  async function dueNotice() {
    // By the clock of the database the next session has long opened.
    await database.em.execute(`update outbox set expires_at = now() + interval '1 hour'`)
    const room = {
      most: 9,
      perUser: 9,
      ofUsers: {},
      perService: 9,
      ofServices: {},
      withEvents: true,
      seconds: 30,
    }
    const { due } = await takeDueNotices(database.em.fork(), room)
    return noticeOf(due.find(({ news }) => news.kind === 'summary')!)!
  }
  async function letter(): Promise<string> {
    await runAt(CLOSED)
    return (await dueNotice()).details!
  }
  const shown = (showFigures: boolean) =>
    saveChoices(database.em.fork(), account.userId, { ...DEFAULT_CHOICES, daySummary: true, showFigures })
  const position = (
    symbol: string,
    fields: { side?: 'SHORT'; quantity?: Decimal; accountId?: string } = {},
  ) => createPosition(database.em, { userId: account.userId, accountId: account.id, symbol, ...fields })

  /** An order at the broker, of which the given executions are known. */
  async function order(
    { id: signalId, symbol }: Pick<Signal, 'id' | 'symbol'>,
    fields: Partial<Record<'role' | 'side' | 'status' | 'type' | 'limit' | 'stop', string>>,
    fills: readonly { at: string; quantity: Decimal; price: Decimal }[] = [],
  ): Promise<void> {
    const id = randomUUID()
    const {
      role = 'entry',
      side = 'BUY',
      status = 'FILLED',
      type = 'market',
      limit = null,
      stop = null,
    } = fields
    await database.em.execute(
      `insert into orders (id, user_id, account_id, signal_id, role, client_order_id, broker_order_id, symbol, side, order_type,
         quantity, limit_price, stop_price, time_in_force, extended_hours, status, submitted_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 10, ?, ?, 'gtc', false, ?, now())`,
      [id, account.userId, account.id, signalId, role, id, id, symbol, side, type, limit, stop, status],
    )
    for (const { at, quantity, price } of fills)
      await database.em.execute(
        `insert into fills (account_id, execution_id, user_id, broker_order_id, order_id, symbol, side, quantity, price, at, order_filled)
         values (?, ?, ?, ?, ?, ?, 'BUY', ?, ?, ?, ?)`,
        [account.id, randomUUID(), account.userId, id, id, symbol, quantity, price, at, quantity],
      )
  }

  /** An executed entry of ten shares at 100 dollars, with levels that the service follows. */
  async function protectedEntry(symbol: string, levels: Partial<Protection>, fields: Partial<Signal> = {}) {
    const protection = {
      stop: null,
      target: null,
      trail: null,
      breakEven: null,
      until: 'closed',
      ...levels,
    } as const
    const filled = { filledQuantity: '10', avgFillPrice: '100', exitStatus: 'submitted' } as const
    const made = await signal('executed', '2026-02-27T15:00:00.000Z', {
      symbol,
      ...filled,
      protection,
      ...fields,
    })
    await database.em.execute(
      `insert into protections (signal_id, user_id, account_id, symbol, side, average_price, best_price)
       values (?, ?, ?, ?, ?, 100, 100)`,
      [made.id, account.userId, account.id, symbol, made.action === 'openLong' ? 'LONG' : 'SHORT'],
    )
    return made
  }
  const signal = (
    status: Signal['status'],
    acceptedAt: string,
    fields: Parameters<typeof createSignal>[1] = {},
  ) =>
    createSignal(database.em, { accountId: account.id, status, acceptedAt: new Date(acceptedAt), ...fields })

  it('summaries of the day are written once, however many processes look and start again, with the figures of that day alone', async () => {
    await signal('executed', '2026-03-02T14:31:00.000Z')
    await signal('executed', '2026-03-02T15:00:00.000Z')
    await signal('rejected', '2026-03-02T15:01:00.000Z')
    await signal('cancelled', '2026-03-02T15:02:00.000Z')
    await signal('rejected', '2026-03-02T15:03:00.000Z', { statusReason: 'DECLINED' })
    // Ten shares of each were closed by others: an exit is ahead of the one that had twelve.
    for (const filledQuantity of ['10', '12'] as const) {
      const planned = { exitStatus: 'scheduled', exitSubmitAt: new Date(CLOSED), filledQuantity } as const
      const { id } = await signal('executed', '2026-02-27T15:00:00.000Z', planned)
      await trade('2026-02-27T16:00:00.000Z', '12.5', id)
    }
    // 23:59 of the day before in New York.
    await signal('executed', '2026-03-02T04:59:00.000Z')
    await trade('2026-03-02T15:30:00.000Z', '12.5')
    await trade('2026-03-02T16:30:00.000Z', '-20')
    await trade('2026-02-27T16:30:00.000Z', '12.5')
    await Promise.all([runAt(CLOSED), runAt(CLOSED)])
    await runAt(CLOSED + 3_600_000)
    assert.deepEqual(await written(), [
      {
        day: '2026-03-02',
        figures: { executed: 2, refused: 1, realised: '-7.5', positions: 0, exitsAhead: 1 },
      },
    ])
    const rows = await database.em.execute<{ kind: string }[]>('select kind from outbox')
    assert.deepEqual(rows, [{ kind: 'summary' }])
    const { title, body, url } = await dueNotice()
    assert.deepEqual(
      [title, body, url],
      [
        'Market closed: your day',
        'Realised −$7.50 · 2 executed · 1 refused · 0 open positions · 1 exit ahead',
        '/',
      ],
    )
    await runAt(Date.parse('2026-03-03T21:30:00.000Z'))
    assert.equal((await written()).length, 1, 'a day without anything has none')
  })

  it('summaries of the day are written after an outage until the next session opens, and not while one is on', async () => {
    await signal('executed', '2026-03-02T15:00:00.000Z')
    await runAt(Date.parse('2026-03-02T20:00:00.000Z'))
    assert.deepEqual(await written(), [])
    await runAt(Date.parse('2026-03-03T14:00:00.000Z'))
    assert.equal((await written()).length, 1)
  })

  it('summaries of the day are written only for those who have chosen them', async () => {
    await saveChoices(database.em.fork(), account.userId, DEFAULT_CHOICES)
    await signal('executed', '2026-03-02T15:00:00.000Z')
    await runAt(CLOSED)
    assert.deepEqual(await written(), [])
  })

  /** A day on which everything happens. */
  async function fullDay(): Promise<void> {
    const at = '2026-03-02T15:00:00.000Z'
    const bought = await signal('executed', at)
    await order(bought, {}, [
      { at, quantity: '4', price: '100' },
      { at, quantity: '6', price: '101.25' },
      { at: '2026-02-27T15:00:00.000Z', quantity: '3', price: '90' },
    ])
    await order(bought, { role: 'exit', side: 'SELL' }, [{ at, quantity: '10', price: '101' }])
    await order(
      await signal('executed', at, { symbol: 'TSLA', action: 'openShort' }),
      { side: 'SELL_SHORT' },
      [{ at: '2026-03-02T16:00:00.000Z', quantity: '1500', price: '200' }],
    )
    await trade('2026-03-02T15:30:00.000Z', '1234.56')
    await trade('2026-03-02T16:30:00.000Z', '-20', null, 'MSFT')
    await position('NVDA')
    const levels = { stop: { percent: '5' }, target: { percent: '10' } } as const
    const atBroker = await protectedEntry('NVDA', levels)
    await order(atBroker, {
      role: 'exit',
      side: 'SELL',
      status: 'OPEN',
      type: 'oco',
      limit: '110',
      stop: '95',
    })
    await position('META', { side: 'SHORT' })
    const watched = await protectedEntry('META', levels, { action: 'openShort' })
    await order(watched, { role: 'exit', side: 'BUY_TO_COVER', status: 'OPEN', type: 'stop', stop: '105' })
    await position('QQQ', { quantity: '12' })
    const timed = { exitStatus: 'scheduled', exitSubmitAt: new Date('2026-03-03T20:55:00.000Z') } as const
    await signal('executed', '2026-02-27T15:00:00.000Z', { symbol: 'QQQ', filledQuantity: '10', ...timed })
    await position('ZM')
    await signal('pending', at, { symbol: 'SPY', validUntil: new Date('2026-03-03T21:00:00.000Z') })
    await signal('pending', at, { symbol: 'IWM', action: 'closeLong' })
    const refusal = { statusReason: 'STALE', statusDetail: 'It was due at 2026-03-02T15:00:00Z' } as const
    await signal('error', at, { symbol: 'AMD', ...refusal })
    await signal('cancelled', '2026-02-27T15:00:00.000Z', {
      symbol: 'F',
      action: 'openShort',
      statusReason: 'EXPIRED',
      statusDetail: 'Its time had ended, and no order had been sent',
      validUntil: new Date('2026-03-02T20:00:00.000Z'),
    })
    await signal('rejected', at, { statusReason: 'DECLINED' })
    const alert = { kind: 'unprotected_position', message: 'No exit', data: {} } as const
    await raiseAlert(database.em, { accountId: account.id, signalId: atBroker.id }, alert)
    await raiseAlert(database.em, { accountId: account.id, signalId: watched.id }, alert)
    await raiseAlert(
      database.em,
      { accountId: account.id, signalId: null },
      { ...alert, kind: 'feed_overdue' },
    )
    await raiseAlert(
      database.em,
      { accountId: account.id, signalId: null },
      { ...alert, kind: 'credentials' },
    )
    await database.em.execute(
      `update alerts set acknowledged_at = now(), acknowledged_by = 'me' where kind = 'credentials'`,
    )
  }

  it('the letter of a day says what was done, is open and how protected, the result, what to decide and what was missed', async () => {
    await fullDay()
    assert.deepEqual((await letter()).split('\n'), [
      'Done',
      'Bought 10 AAPL at $100.75',
      'Sold short 1,500 TSLA at $200',
      'Closed AAPL: +$1,234.56',
      'Closed MSFT: −$20',
      '',
      'Open',
      'Long 12 QQQ: 2 with no exit; 10 with exit 3 Mar, 15:55 New York',
      'Long 10 ZM: no exit',
      'Short 10 META: stop 105 at the broker, target 90 watched by the service',
      'Long 10 NVDA: stop 95 and target 110 at the broker',
      '',
      'Result',
      '+$1,214.56 after fees, 2 closed trades',
      '',
      'Needs a decision',
      'Buy SPY, until 3 Mar, 16:00 New York',
      'Sell IWM',
      '',
      'Missed',
      'Sell short F: Its time had ended, and no order had been sent',
      'Buy AMD: It was due at 2 Mar, 10:00 New York',
      'Open alert: unprotected position, 2 times',
      'Open alert: no order updates',
    ])
  })

  it('the letter of a day without figures has counts alone', async () => {
    await shown(false)
    await fullDay()
    assert.deepEqual((await letter()).split('\n'), [
      'Done',
      '2 executed orders',
      '2 closed trades',
      '',
      'Open',
      '4 positions, 2 not fully covered by an exit',
      '',
      'Needs a decision',
      '2 signals',
      '',
      'Missed',
      '2 signals',
      '3 open alerts',
    ])
  })

  it('the letter of a quiet day is short, and concerns the trading mode alone', async () => {
    const live = await createAccount(database.em, { userId: account.userId, isDemo: false })
    await position('TSLA', { accountId: live.id })
    await createSignal(database.em, { accountId: live.id, status: 'pending' })
    await createTrade(database.em, { accountId: live.id, exitAt: new Date('2026-03-02T15:30:00.000Z') })
    await signal('rejected', '2026-03-02T15:00:00.000Z')
    assert.equal(await letter(), 'Open: nothing\n\nMissed\nBuy AAPL')
  })

  it('the letter of a day is also written when a signal waits or has expired, and when a position is held', async () => {
    const { id } = await signal('pending', '2026-02-27T15:00:00.000Z')
    assert.equal(await letter(), 'Open: nothing\n\nNeeds a decision\nBuy AAPL')
    const emptied = async () => {
      for (const table of ['outbox', 'day_summaries', 'signals'])
        await database.em.execute(`delete from ${table}`)
    }
    await emptied()
    const expired = { statusReason: 'EXPIRED', validUntil: new Date('2026-03-02T20:00:00.000Z') } as const
    await signal('cancelled', '2026-02-27T15:00:00.000Z', { id, ...expired })
    assert.equal(await letter(), 'Open: nothing\n\nMissed\nBuy AAPL')
    await emptied()
    await position('AAPL')
    assert.equal(await letter(), 'Open\nLong 10 AAPL: no exit')
  })

  it('the letter of a day names levels that only the service follows, orders of others, and exits after the entry', async () => {
    await position('NVDA')
    await protectedEntry('NVDA', {
      stop: { amount: '5' },
      trail: { percent: '3' },
      breakEven: { percent: '2' },
    })
    await position('AMD')
    const byHand = await signal('executed', '2026-02-27T15:00:00.000Z', { symbol: 'AMD' })
    await order(byHand, {
      role: 'manual',
      side: 'SELL',
      status: 'OPEN',
      type: 'stopLimit',
      limit: '94',
      stop: '95',
    })
    await position('ZM', { quantity: '5' })
    const waits = { filledQuantity: '10', exitStatus: 'waiting' } as const
    await signal('executed', '2026-02-27T15:00:00.000Z', { symbol: 'ZM', ...waits })
    assert.deepEqual((await letter()).split('\n'), [
      'Open',
      'Long 10 AMD: stop 95 at the broker',
      'Long 10 NVDA: stop 95, trailing stop 97 and break-even watched by the service',
      'Long 5 ZM: a planned exit',
    ])
  })

  it('the letter of a day stays plain text, in lines of its own, with hostile symbols and reasons', async () => {
    const symbol = 'A\n\nResult\u2028+$1,000,000\u202e<b>'
    await position(symbol)
    const detail = `no\r\n\r\nOpen: nothing\u0000 ${'long '.repeat(100)}`
    await signal('rejected', '2026-03-02T15:00:00.000Z', { statusDetail: detail.replace('\u0000', '') })
    const lines = (await letter()).split('\n')
    assert.deepEqual(lines.slice(0, 4), ['Open', 'Long 10 A Result +$1,000,000<b>: no exit', '', 'Missed'])
    assert.match(lines[4]!, /^Buy AAPL: no Open: nothing long .+…$/)
    assert.deepEqual([lines.length, lines[4]!.length <= 200], [5, true])
  })

  it('the letter of a day has the exact result of all trades, names twenty at most, and fits into every channel', async () => {
    for (let at = 0; at < 25; at += 1) await trade(`2026-03-02T15:${at + 10}:00.000Z`, '0.1')
    await trade('2026-03-02T16:00:00.000Z', '0.004')
    await trade('2026-03-02T16:00:01.000Z', '-2.71')
    const few = (await letter()).split('\n')
    assert.deepEqual(
      few.slice(1, 21),
      Array.from({ length: 20 }, () => 'Closed AAPL: +$0.10'),
    )
    assert.deepEqual(few.slice(21), [
      'and 7 more',
      '',
      'Open: nothing',
      '',
      'Result',
      '−$0.21 after fees, 27 closed trades',
    ])
    for (const table of ['outbox', 'day_summaries']) await database.em.execute(`delete from ${table}`)
    for (let at = 0; at < 25; at += 1) {
      await position(`HELD${at}`)
      const fields = { symbol: `GONE${at}`, statusDetail: 'It would exceed the limit. '.repeat(9) }
      await signal('rejected', '2026-03-02T15:00:00.000Z', fields)
    }
    const long = await letter()
    assert.ok(long.length <= 1_900 && long.length > 1_500, String(long.length))
    const others = [...long.matchAll(/^and (\d+) more$/gm)].map(([, count]) => Number(count))
    assert.equal(others.length, 3)
    assert.deepEqual(others.toSpliced(0, 1), [others[0]! - 2, others[0]! - 2])
  })
})
