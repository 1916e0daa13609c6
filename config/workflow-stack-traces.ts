/**
 * Loaded by `node --import` (`workflow-threads.ts`) before the worker's own code, into each of its threads: only there can
 * the hook be kept from being set by which Temporal's SDK takes a stack trace for every promise of a workflow. Decision 12
 * has the reasons.
 */
import { promiseHooks } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread && process.env['WORKFLOW_STACK_TRACES'] !== 'on')
  promiseHooks.createHook = () => {
    // The SDK goes on without it, as on a runtime that has no such hook.
    throw new Error('WORKFLOW_STACK_TRACES is off')
  }
