import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker, type WorkflowBundle } from '@temporalio/worker'
import { REPOSITORY } from '../architecture/source-files.ts'
import { PATHS } from '../histories/paths.ts'
import { fromStoredText, readHistories, versions, type Histories } from '../histories/stored-history.ts'
import { quietTemporal } from '../support/temporal-runtime.ts'
import { bundleQuietly, workflowBundle } from '../support/workflow-bundle.ts'

/** Events of one signal with its exit: what it costs on any Temporal. */
const CEILING = 30

/** Recorded paths that take more events than {@link CEILING}, because on them something went wrong, or people asked for more. */
const LONGER: Record<string, number> = {
  // The order of its levels is changed, gives way to another one or is placed again.
  'exit-plan-changed-then-stopped-here': 42,
  'exit-plan-changed-late-by-another-order': 52,
  'exit-plan-grown-by-late-fill': 32,
  'exit-plan-rejected-then-held-until-the-opening': 40,
  'exit-plan-stopped-here-during-a-full-stop': 36,
  'exit-plan-taken-away': 42,
  'exit-plan-target-unsold': 40,
  'approval-not-checked-in-time': 56,
  'entry-cancelled-by-a-person': 34,
  'exit-not-sized-for-long': 40,
  'exit-partly-filled-then-expired': 40,
  'exit-rejected-then-cancelled': 40,
  'exit-rejected-after-acceptance': 40,
  'exit-grown-by-late-fill': 40,
  'exit-followed-by-second-for-late-fill': 40,
  'exit-order-cancelled-by-a-person': 44,
  'held-for-a-person-when-its-time-came': 34,
  'order-cancelled-by-the-feed': 38,
  'order-cancelled-while-working': 36,
  'order-decided-by-a-lost-worker': 50,
  'pending-then-refused-then-approved': 38,
  'replaced-by-the-feed': 36,
  'replaced-while-working': 36,
  'replaced-then-cancelled-late': 56,
  'replaced-then-filled-late': 60,
}

/** Replays histories and returns, by their names, the errors of those that the code does not follow. */
async function replay(bundle: WorkflowBundle, histories: Histories): Promise<Map<string, Error>> {
  const errors = new Map<string, Error>()
  const results = Worker.runReplayHistories(
    { workflowBundle: bundle },
    [...histories].map(([workflowId, text]) => ({ workflowId, history: fromStoredText(text) })),
  )
  for await (const { workflowId, error } of results) if (error) errors.set(workflowId, error)
  return errors
}

describe('the histories of signals that may still be under way', function () {
  this.timeout(120_000)
  before(quietTemporal)

  for (const version of versions()) {
    const histories = readHistories(version)

    it(`recorded with ${version}: replay without an error on the present code`, async () => {
      assert.ok(histories.size > 0)
      assert.deepEqual(await replay(await workflowBundle(), histories), new Map())
    })

    it(`recorded with ${version}: have at most ${CEILING} events, or the allowance of their path`, () => {
      const sizes = [...histories]
        // Those that continue as new are made long on purpose.
        .filter(([path]) => !path.startsWith('continued-'))
        .map(([path, text]) => ({ path, events: fromStoredText(text).events?.length ?? 0 }))
      assert.deepEqual(
        sizes.filter(({ path, events }) => events > (LONGER[path] ?? CEILING)),
        [],
      )
    })

    it(`recorded with ${version}: contain no machine names, that is no identity, no queue and no stack`, () => {
      for (const text of histories.values())
        assert.doesNotMatch(text, /"identity"|"stackTrace"|signals-|node_modules|file:\/\//)
    })
  }

  it('the histories of signals that may still be under way are there for every path of the present version', () => {
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      version: string
    }
    const names = [...readHistories(`v${version}`).keys()]
    const recorded = new Set(names.map((name) => name.replace(/\.run-\d+$/, '')))
    assert.deepEqual([...recorded].toSorted(), Object.keys(PATHS).toSorted())
  })

  it('fail to replay on a workflow with two steps in another order', async () => {
    const fixture = join(import.meta.dirname, 'fixtures', 'sizes-exit-too-early.workflow.ts')
    const all = readHistories(versions()[0]!)
    const exits = new Map(['exit-immediate', 'exit-timed'].map((path) => [path, all.get(path)!]))
    const errors = await replay(await bundleQuietly(fixture), exits)
    assert.deepEqual([...errors.keys()], [...exits.keys()])
    for (const error of errors.values()) {
      assert.equal(error.name, 'DeterminismViolationError')
      assert.match(error.message, /Nondeterminism/i)
    }
  })
})
