import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'
import { workflowBundle } from '#test/support/workflow-bundle.ts'

/** Loads the bundle as a worker does and prints the names that workflow code then finds, and what it reads of two clocks. */
const PROBE = `
  const { createContext, runInContext } = require('node:vm')
  const context = createContext({
    assert: require('node:assert'), AbortController, TextEncoder, TextDecoder, URL, URLSearchParams,
    AsyncLocalStorage: require('node:async_hooks').AsyncLocalStorage, __webpack_module_cache__: {},
  })
  runInContext(require('node:fs').readFileSync(process.argv[1], 'utf8'), context)
  const before = runInContext('Object.getOwnPropertyNames(globalThis)', context)
  runInContext('__TEMPORAL__.importWorkflows()', context)
  console.log(JSON.stringify({ before, names: runInContext('Object.getOwnPropertyNames(globalThis)', context) }))`

/**
 * All that workflow code may find: what the language had in 2025, and what the SDK and its bundle bring. None of it reads a
 * clock or draws a number but Date, Math, setTimeout (the SDK's own), WeakRef and FinalizationRegistry (refused by the SDK),
 * and Intl, which our rules of style refuse.
 */
const KNOWN = new Set(
  `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error
  AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl ArrayBuffer
  Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array Uint8ClampedArray
  BigUint64Array BigInt64Array DataView Map BigInt Set Iterator WeakMap WeakSet WeakRef Proxy Reflect FinalizationRegistry
  decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN console SharedArrayBuffer
  WebAssembly Float16Array DisposableStack AsyncDisposableStack SuppressedError
  assert AbortController TextEncoder TextDecoder URL URLSearchParams AsyncLocalStorage setTimeout clearTimeout
  __webpack_module_cache__ __TEMPORAL__ __temporal_globalSandboxDestructors`.split(/\s+/),
)

describe('workflow code in its sandbox', function () {
  this.timeout(60_000)
  const folder = useTemporaryFolder()
  async function probe(...flags: string[]): Promise<{ before: string[]; names: string[] }> {
    const bundle = folder.path('workflows.js')
    writeFileSync(bundle, (await workflowBundle()).code)
    const output = execFileSync(process.execPath, [...flags, '--eval', PROBE, bundle], { encoding: 'utf8' })
    return JSON.parse(output) as { before: string[]; names: string[] }
  }

  it('finds no Temporal of the machine, also where Node brings that', async () => {
    const { before, names } = await probe('--harmony-temporal')
    assert.ok(before.includes('Temporal'), 'this Node would bring it')
    assert.ok(!names.includes('Temporal'))
  })

  it('finds no global without a verdict: a newer Node brings more of them, and some read clocks', async () => {
    for (const flags of [[], ['--harmony-temporal']])
      assert.deepEqual(
        (await probe(...flags)).names.filter((name) => !KNOWN.has(name)),
        [],
      )
  })
})
