import assert from 'node:assert/strict'
import { listAlerts } from '#db/alert/alerts.ts'
import { listAuditEvents } from '#db/identity/audit-log.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { listOrders } from '#db/order/queries.ts'
import type { Page } from '#db/engine/page.ts'
import { actAs, MEMBER_ROLE } from '#db/engine/row-security.ts'
import { listGroups } from '#db/signal/groups.ts'
import { listSignalEvents, listSignals } from '#db/signal/signals.ts'
import { listTrades } from '#db/position/trades.ts'
import { listUsers } from '#db/identity/users.ts'
import { createAccount, createStrategy, createUser } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { statementsOf, type SentStatement } from '#test/support/statements.ts'
import type pg from 'pg'

/** A node of a plan as PostgreSQL explains it. */
interface PlanNode {
  'Node Type': string
  'Parent Relationship'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

const USERS = 4
const ROWS = 16_000
/** Rows that finding a page may read, of the thousands that the user has: those shown, and some that do not fit. */
const MAX_ROWS_READ = 600

describe('the plan of a list, in the name of its user,', function () {
  this.timeout(60_000)
  let database: Database
  let pool: pg.Pool
  let user: { userId: string; accountId: string; strategyId: string }
  let signalId: string
  useDatabase(async (opened) => {
    database = opened
    const em = database.em.fork()
    const accounts: { userId: string; id: string }[] = []
    for (let count = 0; count < USERS; count++) {
      const { id: userId } = await createUser(em)
      for (let more = 0; more < 3; more++) accounts.push(await createAccount(em, { userId }))
    }
    const [{ userId, id: accountId }] = accounts as [(typeof accounts)[number]]
    user = { userId, accountId, strategyId: (await createStrategy(em, { userId })).id }
    await em.transactional(async (filling) => {
      // Many rows at once are no work that the service has to do in time.
      await filling.execute('set local statement_timeout = 0')
      await fill(filling, user)
    })
    pool = await em.getConnection().getNativeClient()
    const [signal] = await em.execute<{ id: string }[]>('select id from signals where user_id = ? limit 1', [
      userId,
    ])
    signalId = signal!.id
    await em.execute(
      `insert into signal_events (signal_id, key, kind, at, message)
       select id, k, k, accepted_at, 'm' from signals, unnest(array['received', 'closed']) k`,
    )
    await em.execute('analyze')
  })

  const asUser = (): EntityManager => {
    const em = database.em.fork()
    actAs(em, user.userId)
    return em
  }

  /** Explains the statement of a user, by running it as the user. */
  async function levelsOfSignal({ text, values }: SentStatement): Promise<PlanNode> {
    const client = await pool.connect()
    try {
      await client.query('begin; set local enable_seqscan = off')
      await client.query(`select set_config('app.user_id', $1, true), set_config('role', $2, true)`, [
        user.userId,
        MEMBER_ROLE,
      ])
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        [...values],
      )
      return rows[0]!['QUERY PLAN'][0].Plan
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

  /** Nodes of a plan that read a table, without those of its counts; or of its counts alone. */
  function scans(node: PlanNode, counting: boolean, within = false): PlanNode[] {
    const isCount =
      within || (node['Parent Relationship'] === 'InitPlan' && node['Node Type'] === 'Aggregate')
    const below = (node.Plans ?? []).flatMap((child) => scans(child, counting, isCount))
    return node['Node Type'].includes('Scan') && isCount === counting ? [node, ...below] : below
  }
  const rowsRead = (nodes: PlanNode[]): number =>
    nodes.reduce(
      (sum, node) =>
        sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      0,
    )

  const firstPage: Page = { limit: 50, offset: 0 }
  type List = (em: EntityManager, page: Page) => Promise<{ next: Page['after'] }>
  const signals =
    (filter: () => Parameters<typeof listSignals>[2]): List =>
    (em, page) =>
      listSignals(em, user.userId, filter(), page)
  const orders =
    (filter: () => Parameters<typeof listOrders>[2]): List =>
    (em, page) =>
      listOrders(em, user.userId, filter(), page)
  const trades =
    (filter: () => Parameters<typeof listTrades>[2]): List =>
    (em, page) =>
      listTrades(em, user.userId, filter(), page)
  const alerts =
    (filter: () => Parameters<typeof listAlerts>[2]): List =>
    (em, page) =>
      listAlerts(em, user.userId, filter(), page)
  const groups =
    (filter: Parameters<typeof listGroups>[2]): List =>
    (em, page) =>
      listGroups(em, user.userId, filter, page)
  const OF_A_DAY = { from: '2026-03-05T00:00:00Z', to: '2026-03-06T00:00:00Z' }
  const CASES: [name: string, index: RegExp, list: List, counts?: 'most'][] = [
    ['signals', /^signals_newest$/, signals(() => ({}))],
    ['signals of an account', /^signals_account_newest$/, signals(() => ({ accountId: user.accountId }))],
    ['signals of a symbol', /^signals_symbol_newest$/, signals(() => ({ symbol: 'S7' }))],
    [
      'signals that wait',
      // All that are unfinished are few; PostgreSQL may read those and leave out what belongs to others.
      /^signals_(status_newest|unsent|open)$/,
      signals(() => ({ status: ['pending', 'scheduled'] })),
    ],
    ['signals for approval', /^signals_execute_mode_newest$/, signals(() => ({ executeMode: 'pending' }))],
    [
      'signals of a strategy',
      /^signals_strategy_id_newest$/,
      signals(() => ({ strategyId: user.strategyId })),
    ],
    ['signals of a source', /^signals_source_id_newest$/, signals(() => ({ sourceId: 'alert-240' }))],
    ['signals of a day', /^signals_newest$/, signals(() => OF_A_DAY)],
    ['groups of several accounts', /^signal_groups_several_newest$/, groups({ accounts: 'several' })],
    ['groups', /^signal_groups_newest$/, groups({ accounts: 'all' })],
    ['orders', /^orders_newest$/, orders(() => ({}))],
    ['orders of an account', /^orders_account_id_newest$/, orders(() => ({ accountId: user.accountId }))],
    ['orders of a symbol', /^orders_symbol_newest$/, orders(() => ({ symbol: 'S7' }))],
    [
      'orders that work',
      /^orders_status_newest$/,
      orders(() => ({ statuses: ['PENDING', 'OPEN', 'PARTIALLY_FILLED'] })),
    ],
    ['orders by hand', /^orders_manual_newest$/, orders(() => ({ roles: ['manual'] }))],
    ['trades', /^trades_newest$/, trades(() => ({}))],
    ['trades of an account', /^trades_account_id_newest$/, trades(() => ({ accountId: user.accountId }))],
    ['trades of a symbol', /^trades_symbol_newest$/, trades(() => ({ symbol: 'S7' }))],
    [
      'trades of a strategy',
      /^trades_strategy(_id_newest)?$/,
      trades(() => ({ strategyId: user.strategyId })),
    ],
    ['trades, open', /^trades_open_newest$/, trades(() => ({ status: 'OPEN' }))],
    ['trades, closed last', /^trades_closed$/, trades(() => ({ sort: 'exitAt' })), 'most'],
    ['alerts, open', /^alerts_open_newest$/, alerts(() => ({ state: 'open' }))],
    ['alerts, all', /^alerts_newest$/, alerts(() => ({ state: 'all' }))],
    [
      'alerts of an account',
      /^alerts_account_newest$/,
      alerts(() => ({ state: 'all', accountId: user.accountId })),
    ],
    ['alerts of a kind', /^alerts_kind_newest$/, alerts(() => ({ state: 'all', kind: 'credentials' }))],
    // Its numbers rise for all users together: with few users the newest of one are soon found.
    ['the audit log', /^audit_events_pkey$/, (em, page) => listAuditEvents(em, user.userId, page)],
  ]

  for (const [name, index, list, counts] of CASES)
    it(`finds ${name} by ${index.source.replaceAll(/[$^]/g, '')}, counts them by an index, and goes on from its cursor without a count`, async () => {
      const [message] = await statementsOf(() => list(asUser(), firstPage))
      const plan = await levelsOfSignal(message!)
      const page = scans(plan, false).filter((scan) => !scan['Node Type'].includes('Subquery'))
      const indexes = page.flatMap((scan) => scan['Index Name'] ?? [])
      assert.ok(indexes.length > 0)
      for (const used of indexes) assert.match(used, index)
      assert.ok(rowsRead(page) <= MAX_ROWS_READ, `${rowsRead(page)} rows were read`)
      const count = scans(plan, true)
      assert.ok(count.some((scan) => scan['Index Name']))
      // Where nearly all are counted, the smallest index of all serves as well.
      for (const scan of counts === 'most' ? [] : count)
        assert.equal(scan['Rows Removed by Filter'] ?? 0, 0, 'counting looks at other rows')

      const { next } = await list(asUser(), { limit: 1, offset: 0 })
      if (!next) return
      const [further] = await statementsOf(() => list(asUser(), { limit: 50, offset: 0, after: next }))
      assert.doesNotMatch(further!.text, /count\(/)
      const behind = scans(await levelsOfSignal(further!), false).filter((scan) => scan['Index Name'])
      assert.ok(behind.length > 0)
      assert.ok(rowsRead(behind) <= MAX_ROWS_READ, `${rowsRead(behind)} rows were read`)
    })

  it('deep in the list reads no more than at its beginning', async () => {
    const { next } = await listOrders(asUser(), user.userId, {}, { limit: 500, offset: 3_000 })
    assert.equal(next?.offset, 3_500)
    const [message] = await statementsOf(() =>
      listOrders(asUser(), user.userId, {}, { limit: 50, offset: 0, after: next }),
    )
    assert.equal(rowsRead(scans(await levelsOfSignal(message!), false)), 51)
  })

  it('takes one message for the page and its count, and one more where it is about signals besides', async () => {
    const sent = (list: (em: EntityManager) => Promise<unknown>) => statementsOf(() => list(asUser()))
    assert.equal((await sent((em) => listOrders(em, user.userId, {}, firstPage))).length, 1)
    assert.equal((await sent((em) => listSignals(em, user.userId, {}, firstPage))).length, 1)
    assert.equal((await sent((em) => listUsers(em, firstPage))).length, 1)
    assert.equal((await sent((em) => listSignalEvents(em, user.userId, signalId, firstPage))).length, 2)
    assert.equal((await sent((em) => listAlerts(em, user.userId, { state: 'all' }, firstPage))).length, 2)
  })

  /** Rows of every user, a minute apart, most of them of the usual kind. */
  async function fill(em: EntityManager, { strategyId, userId }: typeof user): Promise<void> {
    const owners = `generate_series(1, ${ROWS}) n join (select id, user_id, row_number() over () - 1 as place from accounts) a
      on a.place = n % ${USERS * 3}`
    const at = `timestamptz '2026-03-01T00:00:00Z' + n * interval '1 minute'`
    const symbol = `'S' || n % 41`
    await em.execute(
      `insert into signals (id, user_id, account_id, strategy_id, source_id, payload_hash, symbol, action, quantity,
         quantity_type, execute_mode, order_type, time_in_force, extended_hours, status, accepted_at, origin)
       select gen_random_uuid(), user_id, id, case when user_id = ? and n % 7 = 0 then ?::uuid end,
         case when n % 5 < 2 then 'alert-' || n end, 'h', ${symbol}, 'openLong', 1, 'fixed',
         case when n % 500 < 12 then 'pending' else 'immediate' end, 'market', 'day', false,
         case when n % 900 < 12 then 'pending' when n % 5 < 2 then 'cancelled' else 'executed' end, ${at}, 'sender'
       from ${owners}`,
      [userId, strategyId],
    )
    await em.execute(
      `insert into orders (id, user_id, account_id, signal_id, role, client_order_id, broker_order_id, symbol, side,
         order_type, quantity, time_in_force, extended_hours, status, submitted_at, created_at)
       select gen_random_uuid(), user_id, account_id, id,
         case when is_manual then 'manual' else 'entry' end, id, id, symbol, 'BUY', 'market', 1, 'day', false,
         case when status = 'pending' then 'OPEN' else 'FILLED' end, accepted_at, accepted_at
       from signals s, lateral (select s.execute_mode = 'pending' as is_manual) o`,
    )
    await em.execute(
      `insert into trades (id, user_id, account_id, symbol, side, status, quantity, entry_price, exit_price, entry_at,
         exit_at, realised_pnl, fees, strategy_id, entry_order_ids, exit_order_ids)
       select gen_random_uuid(), user_id, account_id, symbol, 'LONG', case when is_open then 'OPEN' else 'CLOSED' end, 1, 1,
         case when not is_open then 1 end, accepted_at, case when not is_open then accepted_at end,
         case when not is_open then 0 end, 0, strategy_id, '{}', '{}'
       from signals s, lateral (select s.status = 'pending' as is_open) o`,
    )
    await em.execute(
      `insert into alerts (user_id, account_id, signal_id, kind, message, raised_at, resolved_at)
       select user_id, account_id, id, case when n % 199 < 9 then 'credentials' else 'fill_after_end' end, 'm', accepted_at,
         case when n % 211 >= 9 then accepted_at end
       from (select *, row_number() over (order by accepted_at) as n from signals) s`,
    )
    await em.execute(
      `insert into signal_groups (id, user_id, symbol, summary, accounts, created_at)
       select gen_random_uuid(), user_id, symbol, 's', case when n % 9 = 0 then 3 else 1 end, accepted_at
       from (select *, row_number() over (order by accepted_at) as n from signals) s`,
    )
    await em.execute(
      `insert into audit_events (user_id, kind) select user_id, 'sign_in.failed' from signals order by accepted_at`,
    )
  }
})
