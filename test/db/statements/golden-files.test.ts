import assert from 'node:assert/strict'
import type pg from 'pg'
import type { EntityManager } from '#db/engine/database.ts'
import { createSignal } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import type { SentStatement } from '#test/support/statements.ts'
import { COMPOSED_STEPS, goldenFile, goldenNames, goldenText, SHOWN_STEPS } from './golden-files.ts'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Plans?: PlanNode[]
}

/** Tables that get rows as long as the service trades. */
const GROWING = new Set([
  'alerts',
  'audit_events',
  'balance_snapshots',
  'equity_points',
  'fees',
  'fills',
  'live_events',
  'order_broker_ids',
  'orders',
  'send_permits',
  'requests',
  'signal_events',
  'signal_groups',
  'signal_sources',
  'signals',
  'trades',
])

/** Steps that take more than one message, with `begin` and `commit` where they have a transaction. */
const MESSAGES: Record<string, number> = {
  'signal-due-with-edits': 5,
  'entry-partly-filled': 2,
  'entry-ended': 2,
  'entry-heard-of-first': 2,
  'order-gives-way': 2,
  'exit-plan-begun': 2,
  'exit-plan-changed': 6,
  'signal-replaced': 5,
  'signal-replaced-while-it-may-fill': 5,
  'signal-replaced-after-its-end': 6,
  'by-hand-accepted': 4,
  'by-hand-filled': 2,
  'fills-listed': 18,
  'fill-amended': 12,
}

describe('the SQL that is composed of parts', () => {
  let em: EntityManager
  let pool: pg.Pool
  useDatabase(async (database) => {
    em = database.em
    pool = await em.getConnection().getNativeClient()
    // With as good as no row PostgreSQL holds a table as a whole ready where it could look one row up.
    const { userId, accountId } = await createSignal(em)
    await em.execute(
      `insert into signals (id, user_id, account_id, payload_hash, symbol, action, quantity, quantity_type, execute_mode,
         order_type, time_in_force, extended_hours, status, accepted_at, origin)
       select gen_random_uuid(), ?, ?, 'h', 'AAPL', 'openLong', 1, 'fixed', 'immediate', 'market', 'day', false, 'executed',
         now(), 'sender' from generate_series(1, 1000)`,
      [userId, accountId],
    )
    await em.execute('analyze signals')
  })

  /** Tables that PostgreSQL can only read from end to end for a statement: no index serves it. */
  async function readWhole({ text, values }: SentStatement): Promise<string[]> {
    const client = await pool.connect()
    try {
      await client.query('begin; set local enable_seqscan = off')
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (format json) ${text}`,
        [...values],
      )
      return whole(rows[0]!['QUERY PLAN'][0].Plan)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  const whole = ({ 'Node Type': type, 'Relation Name': table = '', Plans = [] }: PlanNode): string[] => [
    ...(type === 'Seq Scan' ? [table] : []),
    ...Plans.flatMap(whole),
  ]

  for (const { name, sent } of COMPOSED_STEPS)
    it(`the SQL that is composed of parts of ${name} is run by PostgreSQL, finds its rows by indexes and takes no further message`, async () => {
      const messages = await sent(em)
      assert.equal(messages.length, MESSAGES[name] ?? 1)
      for (const message of messages.filter(({ text }) => !/^(begin|commit)$/.test(text)))
        assert.deepEqual(
          (await readWhole(message)).filter((table) => GROWING.has(table)),
          [],
          message.text,
        )
    })

  for (const composed of SHOWN_STEPS)
    it(`the SQL that is composed of parts of ${composed.name} is the one in its file (npm run docs writes it again)`, async () => {
      assert.equal(await goldenText(em, composed), await goldenFile(composed.name))
    })

  it('the SQL that is composed of parts has no file of a step that is not shown', async () => {
    assert.deepEqual((await goldenNames()).toSorted(), SHOWN_STEPS.map(({ name }) => name).toSorted())
  })
})
