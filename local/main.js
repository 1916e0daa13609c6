// JavaScript, because this process stays: the compiler that Node loads for TypeScript would take 15 MB for good. What it
// imports later comes out of the cache of compiled code, into which its child has put it by then.
import { fork } from 'node:child_process'
import * as module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Data and logs are for their owner only.
process.umask(0o077)
const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'durable-trader', 'compiled')
module.enableCompileCache?.((process.env['NODE_COMPILE_CACHE'] ??= cache))
const starter = fork(fileURLToPath(new URL('start/bring-up.ts', import.meta.url)), process.argv.slice(2), {
  execArgv: ['--disable-warning=ExperimentalWarning'],
})
const { promise: claim, resolve } = Promise.withResolvers()
starter.once('message', resolve)
starter.once('exit', (status) => process.exit(status ?? 1))
const first = /** @type {import('./processes/calls.ts').Message} */ (await claim)
starter.removeAllListeners('exit')
const { keepInstallation } = await import('./processes/keeper.ts')
keepInstallation(starter, first)
