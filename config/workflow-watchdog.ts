/**
 * Loaded by `node --import` (`workflow-threads.ts`) into each thread before the worker's code. Temporal's SDK starts a
 * watchdog thread at each entry into the sandbox of workflows. In a guarded process (`worker/loop-guard.ts`) this
 * thread enters without one, and records that it is inside (Decision 12).
 */
import vm from 'node:vm'
import { getEnvironmentData, isMainThread, threadId } from 'node:worker_threads'
import { cellOf, GUARDED, PER_CALL } from './guarded-threads.ts'

const shared: unknown = isMainThread ? undefined : getEnvironmentData(GUARDED)
if (shared instanceof SharedArrayBuffer) enterGuarded(new Int32Array(shared))

function enterGuarded(cells: Int32Array): void {
  const runInContext: (this: vm.Script, ...of: Parameters<vm.Script['runInContext']>) => unknown =
    vm.Script.prototype.runInContext
  const cell = cellOf(threadId)
  vm.Script.prototype.runInContext = function (context, options) {
    // Code without a time limit is not ours, such as the bundle being loaded.
    if (options?.timeout === undefined || Atomics.load(cells, PER_CALL) !== 0)
      return runInContext.call(this, context, options)
    const { timeout: _, ...rest } = options
    // Odd means inside; each entry has its own number.
    Atomics.add(cells, cell, 1)
    try {
      return runInContext.call(this, context, rest)
    } finally {
      Atomics.add(cells, cell, 1)
    }
  }
}
