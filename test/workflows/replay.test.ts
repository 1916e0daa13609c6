import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker, type WorkflowBundle } from '@temporalio/worker'
import { PATHS } from '../histories/paths.ts'
import { quietTemporal } from '../support/temporal-runtime.ts'
import { bundleQuietly, workflowBundle } from '../support/workflow-bundle.ts'
import { HISTORIES, historyOf, pathsOf, versions } from './recorded.ts'

/** Replays histories and returns, by their names, the errors of those that the code does not follow. */
async function replay(bundle: WorkflowBundle, version: string, paths: string[]): Promise<Map<string, Error>> {
  const errors = new Map<string, Error>()
  const results = Worker.runReplayHistories(
    { workflowBundle: bundle },
    paths.map((path) => ({ workflowId: path, history: historyOf(version, path) })),
  )
  for await (const { workflowId, error } of results) if (error) errors.set(workflowId, error)
  return errors
}

describe('the histories of signals that may still be under way', function () {
  this.timeout(30_000)
  before(quietTemporal)

  for (const version of versions()) {
    it(`recorded with ${version}: replay without an error on the present code`, async function () {
      // About seventy histories, and a bundle to build.
      this.timeout(120_000)
      const paths = pathsOf(version)
      assert.ok(paths.length > 0)
      assert.deepEqual(await replay(await workflowBundle(), version, paths), new Map())
    })
  }

  it('the histories of signals that may still be under way are there for every path of the present version', () => {
    const { version } = JSON.parse(readFileSync(join(HISTORIES, '..', '..', 'package.json'), 'utf8')) as {
      version: string
    }
    const recorded = new Set(pathsOf(`v${version}`).map((name) => name.replace(/\.run-\d+$/, '')))
    assert.deepEqual([...recorded].toSorted(), Object.keys(PATHS).toSorted())
  })

  it('contain no machine names: no identity, no queue, no stack', () => {
    for (const version of versions())
      for (const path of pathsOf(version)) {
        const text = readFileSync(join(HISTORIES, version, `${path}.json`), 'utf8')
        assert.doesNotMatch(text, /"identity"|"stackTrace"|signals-|node_modules|file:\/\//)
      }
  })

  it('fail to replay on a workflow with two steps in another order', async () => {
    const fixture = join(import.meta.dirname, 'fixtures', 'sizes-exit-too-early.workflow.ts')
    const [version] = versions()
    const errors = await replay(await bundleQuietly(fixture), version!, ['exit-immediate', 'exit-timed'])
    assert.deepEqual([...errors.keys()], ['exit-immediate', 'exit-timed'])
    for (const error of errors.values()) {
      assert.equal(error.name, 'DeterminismViolationError')
      assert.match(error.message, /Nondeterminism/i)
    }
  })
})
