import assert from 'node:assert/strict'
import { productSyntax, syntaxOf } from './product-syntax.ts'

/** Inside a workflow Date is the time of its history; this file gives it that name. */
const OWNS_WORKFLOW_TIME = 'workflows/steps/workflow-time.ts'

describe('domain/ and workflows/', () => {
  it('domain/ and workflows/ never ask for the current moment with new Date()', () => {
    const isHeld = (line: string) =>
      /^(domain|workflows)\//.test(line) && !line.startsWith(`${OWNS_WORKFLOW_TIME}:`)
    assert.deepEqual(productSyntax().clocks.filter(isHeld), [])
    assert.ok(productSyntax().clocks.length > 5, 'others do')
  })

  it('domain/ and workflows/ would be caught doing so', () => {
    const { clocks } = syntaxOf('domain/a.ts', 'const a = new Date(1)\nconst b = new Date()\nDate()')
    assert.deepEqual(clocks, ['domain/a.ts:2', 'domain/a.ts:3'])
  })
})
