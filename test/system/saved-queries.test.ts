import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { bundleQuietly } from '#test/support/workflow-bundle.ts'
import { retryExit } from '#workflows/signal/contract.ts'
import { buyNow, shown } from '#test/service/sent-signal.ts'

const BROKEN_CODE = join(import.meta.dirname, '../workflows/fixtures/sizes-exit-too-early.workflow.ts')

const page = readFileSync(join(import.meta.dirname, '../../docs/operate/watching.md'), 'utf8')
const [, section = ''] = page.split('\n### Columns and queries\n')
const lines = section.split('\n## ')[0]!
/** Question -> query. */
const queries = new Map(
  [...lines.matchAll(/^\| (.+\?) \| `(.+)` \|$/gm)].map(([, question, query]) => [question!, query!]),
)
/** What is looked for -> the statement that writes the query. */
const statements = new Map(
  [...lines.matchAll(/\n(\S.+):\n\n```sql\n([^`]+)```/g)].map(([, wanted, statement]) => [
    wanted!,
    statement!,
  ]),
)

/** Signals in all these states at once; each query of the page is to find its own. */
describe('the queries of docs/operate/watching.md for Temporal’s UI', function () {
  this.timeout(120_000)
  const service = useStack({ worker: { BROKER_POLL_INTERVAL: '1s' } })
  /** Ids of signals by their symbol. */
  const ids = new Map<string, string>()
  const workflowOf = (symbol: string) => workflowIdFor(ids.get(symbol)!)

  const find = async (query: string): Promise<string[]> => {
    const client = await service.stack.temporal()
    const found: string[] = []
    for await (const { workflowId } of client.workflow.list({ query })) found.push(workflowId)
    return found.toSorted()
  }
  const send = async (symbol: string, changes: object = {}): Promise<string> => {
    const { stack } = service
    const { body } = await stack.api.post('/signals', buyNow(stack, { symbol, ...changes }), 20_000)
    assert.ok(body.signal?.id, JSON.stringify(body))
    ids.set(symbol, body.signal.id)
    return body.signal.id
  }
  const finds = (query: string, expected: string[]) =>
    eventually(async () => assert.deepEqual(await find(query), expected.toSorted()), {
      within: 30_000,
      every: 500,
    })
  const written = async (wanted: string): Promise<string> => {
    const [row] = await service.stack.query<{ query: string | null }>(statements.get(wanted)!)
    assert.ok(row?.query, `nothing is found of: ${wanted}`)
    return row.query
  }

  before(async () => {
    const { stack } = service
    await send('ZTASKS', { executeMode: 'pending' })
    await send('MSFT', { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 })
    // Denied: the account cannot pay for it.
    await stack.venue.pin('ZTPOOR', 90_000)
    await stack.api.post('/signals', buyNow(stack, { symbol: 'ZTPOOR', quantity: 50_000 }), 20_000)
    const [denied] = await stack.query<{ id: string }>(`select id from signals where symbol = 'ZTPOOR'`)
    ids.set('ZTPOOR', denied!.id)
    // The entry rests until the broker is told to reject the exits that follow it.
    await stack.venue.pin('ZTPARKS', 100)
    const resting = { orderType: 'limit', limitPrice: 95, timeInForce: 'gtc', exitTriggerType: 'immediate' }
    const parked = await send('ZTPARKS', resting)
    await eventually(async () => assert.equal((await shown(stack, parked)).status, 'executed'), {
      within: 20_000,
    })
    await stack.venue.script([
      { on: 'accepted', mode: 'reject', clientOrderIdPrefix: `${parked}-x`, reason: 'no' },
    ])
    await stack.venue.pin('ZTPARKS', 94)
    await stack.venue.pin('ZTRESTS', 100)
    const manual = {
      symbol: 'ZTRESTS',
      side: 'BUY',
      quantity: 1,
      orderType: 'LIMIT',
      limitPrice: 95,
      timeInForce: 'GTC',
    }
    const { body } = await stack.api.post('/orders', { accountId: stack.accountId, ...manual }, 20_000)
    assert.ok(body.order?.id, JSON.stringify(body))
    const [placed] = await stack.query<{ id: string }>(`select id from signals where symbol = 'ZTRESTS'`)
    ids.set('ZTRESTS', placed!.id)
  })

  it('find what each asks for', async () => {
    const { accountId } = service.stack
    const open = [workflowOf('ZTASKS'), workflowOf('MSFT'), workflowOf('ZTPARKS')]
    const expected: Record<string, string[]> = {
      'which signals wait for approval on an account?': [workflowOf('ZTASKS')],
      'which orders have an unknown outcome?': [],
      'which signals have an order at the broker or wait for their exit?': [
        workflowOf('MSFT'),
        workflowOf('ZTPARKS'),
        workflowOf('ZTRESTS'),
      ],
      'which signals are accepted and not sent yet?': [],
      'which signals of one symbol are open?': [workflowOf('MSFT')],
      "which of today's signals open a position?": [...open, workflowOf('ZTPOOR'), workflowOf('ZTRESTS')],
      'which signals were denied or rejected, or failed?': [workflowOf('ZTPOOR')],
      'which manual orders have not ended?': [workflowOf('ZTRESTS')],
      'did a workflow itself fail or was it stopped manually?': [],
    }
    assert.deepEqual([...queries.keys()], Object.keys(expected))
    for (const [question, query] of queries)
      await finds(query.replace('ACCOUNT_ID', accountId), expected[question]!)
  })

  it('the queries of docs/operate/watching.md for Temporal’s UI are written by the ledger for exits that are refused or parked', async () => {
    const query = await eventually(() => written('Exits that are refused or wait for a retry'), {
      within: 30_000,
    })
    await finds(query, [workflowOf('ZTPARKS')])
  })

  it('the queries of docs/operate/watching.md for Temporal’s UI are written by the ledger for workflow tasks that fail again and again', async () => {
    const { stack } = service
    const bundle = join(stack.logFolder, 'broken-workflows.js')
    writeFileSync(bundle, (await bundleQuietly(BROKEN_CODE)).code)
    await stack.parts.worker.restart({ WORKFLOW_BUNDLE: bundle })
    await (await stack.temporal()).workflow.getHandle(workflowOf('MSFT')).signal(retryExit)
    const query = await eventually(() => written('Workflow tasks that fail repeatedly'), {
      within: 60_000,
      every: 500,
    })
    assert.ok((await find(query)).includes(workflowOf('MSFT')), query)
  })

  it('the queries of docs/operate/watching.md for Temporal’s UI are written by the ledger for what is overdue', async () => {
    const { stack } = service
    await stack.parts.worker.stop()
    await stack.query(`update signals set exit_due_at = now() - interval '20 seconds' where symbol = 'MSFT'`)
    const query = await eventually(() => written('Overdue actions'), { within: 40_000, every: 500 })
    assert.ok((await find(query)).includes(workflowOf('MSFT')), query)
    await stack.parts.worker.start()
  })
})
