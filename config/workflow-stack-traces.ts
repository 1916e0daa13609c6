/**
 * Loaded by `node --import` (`workflow-threads.ts`) into each thread before the worker's code: only there can it
 * prevent Temporal's SDK from taking a stack trace for every promise of a workflow (Decision 12).
 */
import { promiseHooks } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread && process.env['WORKFLOW_STACK_TRACES'] !== 'on')
  promiseHooks.createHook = () => {
    // The SDK continues as on a runtime without the hook.
    throw new Error('WORKFLOW_STACK_TRACES is off')
  }
