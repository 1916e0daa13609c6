import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type CallExpression, type NewExpression } from 'oxc-parser'
import { REPOSITORY, repositoryFiles } from './source-files.ts'

/**
 * Where a source text asks for the current moment by `new Date()` or `Date()`, which the linter's rules cannot
 * tell from the harmless `new Date(instant)`.
 */
function readsClock(fileName: string, source: string): string[] {
  const found: string[] = []
  const { program } = parseSync(fileName, source)
  const check = (node: CallExpression | NewExpression): void => {
    const { callee } = node
    if (callee.type === 'Identifier' && callee.name === 'Date' && node.arguments.length === 0) {
      found.push(`${fileName}:${source.slice(0, node.start).split('\n').length}`)
    }
  }
  new Visitor({ NewExpression: check, CallExpression: check }).visit(program)
  return found
}

/** Inside a workflow Date is the time of its history; this file gives it that name. */
const OWNS_WORKFLOW_TIME = 'workflows/steps/workflow-time.ts'

describe('domain/ and workflows/', () => {
  it('domain/ and workflows/ never ask for the current moment with new Date()', () => {
    const files = repositoryFiles('.ts').filter(
      (path) => /^(domain|workflows)\//.test(path) && path !== OWNS_WORKFLOW_TIME,
    )
    assert.ok(files.length > 5)
    const found = files.flatMap((path) => readsClock(path, readFileSync(join(REPOSITORY, path), 'utf8')))
    assert.deepEqual(found, [])
  })

  it('domain/ and workflows/ would be caught doing so', () => {
    assert.deepEqual(readsClock('domain/a.ts', 'const a = new Date(1)\nconst b = new Date()\nDate()'), [
      'domain/a.ts:2',
      'domain/a.ts:3',
    ])
  })
})
