import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface Child {
  pid: number
  ready: unknown
  /** Next message; rejects if the process ends before. */
  next(): Promise<unknown>
  stop(): Promise<void>
}

/**
 * Starts a module and waits for its first message. It ends by SIGTERM, and with its parent. Throws when it ends before
 * it is ready.
 */
export async function startChild(module: string, settings: Record<string, string>): Promise<Child> {
  const child = fork(module, {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const next = (): Promise<unknown> =>
    Promise.race([
      once(child, 'message').then(([message]) => message as unknown),
      ended.then(([code, signal]) => {
        throw new Error(`${module} ended before it said anything (${String(code ?? signal)})`)
      }),
    ])
  const ready = await next()
  return {
    pid: child.pid!,
    ready,
    next,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
