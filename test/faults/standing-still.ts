import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Faults, type FaultPlan } from './fault-plan.ts'
import { faultyWorker } from './faulty-worker.ts'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { BrokerSite, type SiteOrder } from '#test/support/broker-site.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'
import { accepted, buyNow, heldAtVenue, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

const ENTRY_STANDS = [
  'before decideEntry',
  'after decideEntry',
  'before prepareEntry',
  'after prepareEntry',
  'before submitOrder of the entry',
  'before the gate of the entry',
  'after the gate of the entry',
  'before broker.submitOrder of the entry',
]
const MANUAL_STANDS = [
  'before prepareEntry',
  'after prepareEntry',
  'before the gate of the entry',
  'after the gate of the entry',
  'before broker.submitOrder of the entry',
]
const EXIT_STANDS = [
  'before sizeExit',
  'before keeping the size of the exit',
  'after sizeExit',
  'before the gate of the exit',
  'after the gate of the exit',
  'before broker.submitOrder of the exit',
]

/** A way of an order on which the process stands still, in a symbol of its own in each round. */
interface Standing {
  name: string
  point: string
  symbols: string[]
}
/** On a busy machine some do not come to their points together with the others, and are tried once more. */
const ROUNDS = 3
const states = (what: string, prefix: string, points: readonly string[]): Standing[] =>
  points.map((point, place) => ({
    name: `${what}, ${point}`,
    point,
    symbols: Array.from({ length: ROUNDS }, (_, round) => `${prefix}${lettersOf(place)}R${lettersOf(round)}`),
  }))

const ENTRIES = states('an entry', 'ZTSTNDE', ENTRY_STANDS)
const CLOSES = states('a closing signal', 'ZTSTNDC', ENTRY_STANDS)
const ORDERS = states('a manual order', 'ZTSTNDM', MANUAL_STANDS)
const EXITS = states('an exit', 'ZTSTNDX', EXIT_STANDS)

/** Others do not wait for what has stood still in an earlier round: a group is as large as the first one. */
const PLAN: FaultPlan = Object.fromEntries(
  [ENTRIES, CLOSES, ORDERS, EXITS].flatMap((cases, number) =>
    cases.flatMap(({ symbols, point }) =>
      symbols.map((symbol, round) => {
        const group = { name: `${number} ${round}`, size: cases.length }
        return [symbol, { point, mode: 'stand', group }]
      }),
    ),
  ),
)

/** What has been given up would be seen at the broker by then, if it was sent all the same. */
const AFTERWARDS_MS = 6_000
/** All that stand still together have come to their points by then. */
const GATHERED_WITHIN_MS = 1_500
/** A request waits for longer than any process stands still. */
const LONG_MS = 180_000
/** Until another worker has taken an order over and given it up. */
const PATIENCE = { within: 90_000, every: 500 }

/**
 * The API with a worker in its process stands still on the way of each order, as on a machine that is paused. The broker refuses the
 * order of the other worker meanwhile, and would take the same one when the API goes on.
 */
describe('a process that freezes on the way of an order, and goes on when another one has given it up,', function () {
  this.timeout(300_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-standing-'))
  const planFile = join(folder, 'plan.json')
  const service = useStack(
    { api: { EMBEDDED_WORKER: 'on', ...faultyWorker(planFile, PLAN) } },
    // A request that stood still is older than what happened meanwhile.
    { holdsTimelines: false },
  )
  let site: BrokerSite
  before(() => {
    site = new BrokerSite(service.stack.addresses.venue, service.stack.venueKeys)
  })
  after(() => rmSync(folder, { recursive: true }))

  const resting = (symbol: string, side: SiteOrder['side']): SiteOrder => ({
    client_order_id: `resting-${symbol}`,
    symbol,
    side,
    qty: '1',
    type: 'limit',
    limit_price: side === 'buy' ? '50' : '150',
    time_in_force: 'gtc',
  })
  const atVenue = async (): Promise<LedgerOrder[]> => (await service.stack.venue.ledger()).orders
  const cancelResting = async (): Promise<void> => {
    for (const { id, client_order_id, status } of await atVenue())
      if (client_order_id.startsWith('resting-') && status === 'new') await site.cancel(id)
  }
  const isStruck = (symbol: string): boolean => Faults.struckIn(planFile).includes(symbol)
  /** In which the process has stood still on this way. */
  const symbolOf = ({ symbols }: Standing): string => symbols.find(isStruck) ?? assert.fail('it never stood')
  const pin = async (symbols: readonly string[]): Promise<void> => {
    for (const symbol of symbols) await service.stack.venue.pin(symbol, 100)
  }
  const rest = async (symbols: readonly string[], side: SiteOrder['side']): Promise<void> => {
    for (const symbol of symbols) await site.place(resting(symbol, side))
  }

  /** Sends in the symbols of one round, does something while the process stands still, and has it go on. */
  async function whileItExists(
    cases: readonly Standing[],
    {
      prepare,
      send,
      meanwhile,
    }: {
      prepare(symbols: readonly string[]): Promise<void>
      send(symbol: string): Promise<unknown>
      meanwhile(symbols: readonly string[]): Promise<void>
    },
  ): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const left = cases
        .filter(({ symbols }) => !symbols.some(isStruck))
        .map(({ symbols }) => symbols[round]!)
      if (left.length === 0) return
      await pin(left)
      await prepare(left)
      // Nobody else takes an order before the process stands still on its way.
      await service.stack.parts.worker.stop()
      const sending = left.map(send)
      for (const each of sending) each.catch(() => {})
      await eventually(() => assert.ok(left.some(isStruck)), { within: 60_000, every: 50 })
      await sleep(GATHERED_WITHIN_MS)
      try {
        await service.stack.parts.worker.start()
        await meanwhile(left.filter(isStruck))
      } finally {
        process.kill(service.stack.parts.api.pid, 'SIGCONT')
      }
      await Promise.allSettled(sending)
      await sleep(AFTERWARDS_MS)
    }
  }

  /** Symbols whose order is not given up yet. */
  const notGivenUp = async (symbols: readonly string[]): Promise<string[]> => {
    const rows = await service.stack.query<{ symbol: string }>(
      `select symbol from signals where status in ('rejected', 'error')
       union all select symbol from orders where role = 'manual' and status = 'REJECTED'`,
    )
    const given = new Set(rows.map(({ symbol }) => symbol))
    return symbols.filter((symbol) => !given.has(symbol))
  }
  /** Shares of no signal: the process would stand still on the way of an entry. */
  const buyAtSite = async (symbols: readonly string[]): Promise<void> => {
    for (const symbol of symbols) {
      const order = { symbol, side: 'buy', qty: '20', type: 'market', time_in_force: 'day' } as const
      await site.place({ client_order_id: `bought-${symbol}`, ...order })
    }
    await eventually(async () => {
      const rows = await service.stack.query<{ symbol: string }>('select symbol from positions')
      const held = new Set(rows.map(({ symbol }) => symbol))
      assert.ok(symbols.every((symbol) => held.has(symbol)))
    }, PATIENCE)
  }

  interface Group {
    what: string
    cases: readonly Standing[]
    /** The side of an order at the broker because of which it refuses these. */
    against: SiteOrder['side']
    send(symbol: string): Promise<ApiAnswer>
  }
  const groups: Group[] = [
    {
      what: 'entries',
      cases: ENTRIES,
      against: 'sell',
      send: (symbol) => service.stack.api.post('/signals', buyNow(service.stack, { symbol }), LONG_MS),
    },
    {
      what: 'closing signals',
      cases: CLOSES,
      against: 'buy',
      send: (symbol) =>
        service.stack.api.post('/signals', buyNow(service.stack, { symbol, action: 'closeLong' }), LONG_MS),
    },
    {
      what: 'manual orders',
      cases: ORDERS,
      against: 'sell',
      send(symbol) {
        const order = { symbol, side: 'BUY', orderType: 'MARKET', quantity: 10 }
        return service.stack.api.post('/orders', { accountId: service.stack.accountId, ...order }, LONG_MS)
      },
    },
  ]
  for (const { what, cases, against, send } of groups)
    describe(`while ${what} are refused elsewhere`, () => {
      const answers = new Map<string, number>()
      before(() =>
        whileItExists(cases, {
          prepare: (symbols) => (against === 'buy' ? buyAtSite(symbols) : Promise.resolve()),
          async send(symbol) {
            answers.set(symbol, (await send(symbol)).status)
          },
          async meanwhile(symbols) {
            await rest(symbols, against)
            await eventually(async () => assert.deepEqual(await notGivenUp(symbols), []), PATIENCE)
            await cancelResting()
          },
        }),
      )

      for (const each of cases)
        it(`sends nothing of ${each.name}`, async () => {
          const symbol = symbolOf(each)
          const sent = (await atVenue()).filter(
            (order) => order.symbol === symbol && !/^(resting|bought)-/.test(order.client_order_id),
          )
          assert.deepEqual(
            sent.map(({ client_order_id, status, created_at }) => [client_order_id, status, created_at]),
            [],
          )
          assert.notEqual(answers.get(symbol), 201)
        })
    })

  describe('while its exit is refused elsewhere and another one closes the shares', () => {
    const idIn = async (symbol: string): Promise<string> => {
      const [row] = await service.stack.query<{ id: string }>(
        `select id from signals where symbol = '${symbol}' and exit_status is not null`,
      )
      return row!.id
    }
    const isRefused = async (symbol: string): Promise<boolean> => {
      const id = `${await idIn(symbol)}-x1`
      const { submissions } = await service.stack.venue.ledger()
      return submissions.some(
        ({ client_order_id, outcome }) => client_order_id === id && outcome === 'rejected',
      )
    }

    before(() =>
      whileItExists(EXITS, {
        async prepare(symbols) {
          // Of another signal, which keeps them.
          for (const symbol of symbols) await accepted(service.stack, { symbol })
        },
        send: (symbol) => accepted(service.stack, { symbol, exitTriggerType: 'immediate' }),
        async meanwhile(symbols) {
          await rest(symbols, 'buy')
          await eventually(async () => {
            for (const symbol of symbols) assert.ok(await isRefused(symbol), symbol)
          }, PATIENCE)
          await cancelResting()
          await eventually(async () => {
            for (const symbol of symbols) assert.equal(await heldAtVenue(service.stack, symbol), '10', symbol)
          }, PATIENCE)
        },
      }),
    )

    for (const each of EXITS)
      it(`sends nothing more of ${each.name}`, async () => {
        const symbol = symbolOf(each)
        const id = await idIn(symbol)
        const exits = ordersAtVenue(await service.stack.venue.ledger(), id, 'exit')
        assert.equal(await heldAtVenue(service.stack, symbol), '10', JSON.stringify(exits))
        assert.deepEqual(
          exits.map(({ status, filled_qty }) => [status, filled_qty]),
          [['filled', '10']],
        )
        await eventually(async () => assert.equal((await shown(service.stack, id)).exit.status, 'filled'))
      })
  })

  describe('and whose request is on the road already', () => {
    /** Longer than it takes to give an order up. */
    const ON_THE_ROAD_MS = 60_000
    const late = (rule: object): object => ({
      on: 'submit',
      mode: 'late',
      hangMs: ON_THE_ROAD_MS,
      times: 1,
      ...rule,
    })
    const alertsOf = async (id: string): Promise<string[]> =>
      (
        await service.stack.query<{ kind: string }>(
          `select kind from alerts where signal_id = '${id}' order by raised_at`,
        )
      ).map(({ kind }) => kind)
    /** Refuses all that is sent from now on until the order is given up. */
    const refused = async (symbol: string, side: SiteOrder['side'], id: string): Promise<void> => {
      await rest([symbol], side)
      await givenUp(id)
    }
    const givenUp = async (id: string): Promise<void> => {
      await eventually(async () => {
        const rows = await service.stack.query<unknown>(
          `select from send_permits where client_order_id = '${id}' and given_up is not null`,
        )
        assert.equal(rows.length, 1)
      }, PATIENCE)
      await cancelResting()
    }

    it('an entry that arrives after it was given up: its owner is alerted, and its exit closes what it has filled', async () => {
      const { stack } = service
      const symbol = 'ZTROADE'
      await pin([symbol])
      // The next attempt comes at once.
      await rest([symbol], 'sell')
      await stack.venue.script([late({ symbol })])
      const { status, body } = await stack.api.post(
        '/signals',
        buyNow(stack, { symbol, exitTriggerType: 'immediate' }),
      )
      assert.equal(status, 202, JSON.stringify(body))
      const [{ id }] = (await stack.query(`select id from signals where symbol = '${symbol}'`)) as [
        { id: string },
      ]
      await givenUp(`${id}-e1`)
      await eventually(async () => assert.equal((await shown(stack, id)).exit.status, 'filled'), {
        within: ON_THE_ROAD_MS + 60_000,
        every: 500,
      })
      assert.equal(await heldAtVenue(stack, symbol), '0')
      assert.ok((await alertsOf(id)).includes('fill_after_end'), (await alertsOf(id)).join())
      await stack.venue.clearScript()
    })

    it('an exit that arrives after it was given up: its owner is alerted', async () => {
      const { stack } = service
      const symbol = 'ZTROADX'
      await pin([symbol])
      await accepted(stack, { symbol })
      const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }
      const id = await accepted(stack, { symbol, ...exit })
      await stack.venue.script([late({ clientOrderIdPrefix: `${id}-x1` })])
      await eventually(
        async () => assert.ok((await stack.venue.activeFaults()).some(({ hit }) => hit > 0)),
        PATIENCE,
      )
      await refused(symbol, 'buy', `${id}-x1`)
      await eventually(async () => assert.equal(await heldAtVenue(stack, symbol), '0'), {
        within: ON_THE_ROAD_MS + 60_000,
        every: 500,
      })
      await sleep(AFTERWARDS_MS)
      assert.ok((await alertsOf(id)).includes('fill_after_end'), (await alertsOf(id)).join())
      await stack.venue.clearScript()
    })
  })
})
