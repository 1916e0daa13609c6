import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWorkflowBundle } from '#worker/bundle.ts'

/**
 * Bytes. Every worker loads the bundle into its sandboxes, so a library that slips in is paid for many times
 * over. A little above the 2.30 MB at the time of writing, most of which is the SDK.
 */
const CEILING = 2_800_000

/** All that may be inside: our rules and story, the SDK, what the SDK brings, and the decimal arithmetic. */
const GRANTED = [
  /^\.\/(domain|workflows)\//,
  /^\.\/node_modules\/@temporalio\/(workflow|common)\//,
  /^\.\/node_modules\/(nexus-rpc|ms|long|big\.js)\//,
]

/**
 * The paths of the modules that a bundle holds, as webpack writes them above each. Modules that the SDK
 * replaces by nothing have a bare number behind a question mark and are left out.
 */
const modulesIn = (code: string): string[] => [
  ...new Set([...code.matchAll(/^\/\*{3}\/ "([^"?][^"]*)"/gm)].map((match) => match[1]!)),
]

const intruders = (code: string): string[] =>
  modulesIn(code).filter((path) => !GRANTED.some((pattern) => pattern.test(path)))

describe('the workflow bundle', function () {
  this.timeout(60_000)
  let code: string

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
    try {
      const file = join(folder, 'workflows.js')
      await buildWorkflowBundle(file)
      code = await readFile(file, 'utf8')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('holds the workflow and the rules', () => {
    const modules = modulesIn(code)
    assert.ok(modules.includes('./workflows/signal/workflow.ts'), modules.join('\n'))
    assert.ok(modules.includes('./domain/order/order.ts'))
  })

  it('holds no other room, no Node module and no library beside the SDK and decimal arithmetic', () => {
    assert.deepEqual(intruders(code), [])
    assert.doesNotMatch(code, /require\(["']node:/)
  })

  it(`the workflow bundle is smaller than ${CEILING / 1_000_000} MB`, () => {
    assert.ok(Buffer.byteLength(code) < CEILING, `${Buffer.byteLength(code)} bytes`)
  })

  it('the workflow bundle would be caught with a schema library inside', () => {
    const library = './node_modules/zod/index.js'
    assert.deepEqual(intruders(`${code}\n/***/ "${library}":\n`), [library])
  })
})
