/**
 * Loaded by `node --import` (`workflow-threads.ts`) into each thread of the worker, where Temporal's SDK prints to the
 * console.
 */
import { isMainThread } from 'node:worker_threads'
import { takeOverConsole } from './console-lines.ts'

if (!isMainThread)
  takeOverConsole((level, msg) => {
    const time = new Date().toISOString()
    process.stderr.write(`${JSON.stringify({ level, time, name: 'workflow thread', msg })}\n`)
  })
