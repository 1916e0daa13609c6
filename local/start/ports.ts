import { createServer } from 'node:net'
import { StartupError } from '../processes/startup-error.ts'

/** A port that a part is going to listen on, and the setting that changes it. */
export type WantedPort = { port: number; part: string; setting: string }

/** Throws one {@link StartupError} that names every taken port, who wants it, and how to move it. */
export async function requireFreePorts(wanted: readonly WantedPort[], host = '127.0.0.1'): Promise<void> {
  const faults: string[] = []
  const byPort = new Map<number, WantedPort>()
  for (const each of wanted) {
    const other = byPort.get(each.port)
    if (other)
      faults.push(`Port ${each.port} is asked for twice: ${other.setting} and ${each.setting}. Change one.`)
    else if (!(await isFree(each.port, host)))
      faults.push(
        `Port ${each.port} for ${each.part} is taken by another program. Stop it, or choose another port: ${each.setting}=${each.port + 1}`,
      )
    byPort.set(each.port, each)
  }
  if (faults.length > 0) throw new StartupError(faults.join('\n'))
}

/** A port that is free now. Nobody reserves it: use it soon, and be ready to try another. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}

/** Whether nothing listens on that port. Throws {@link StartupError} where this user may not. */
export async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve, reject) => {
    server.once('listening', () => resolve(true))
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else if (error.code === 'EACCES')
        reject(new StartupError(`Port ${port} needs more rights than this user has. Choose one above 1023.`))
      else reject(error)
    })
    server.listen(port, host)
  })
  if (free) await new Promise((resolve) => server.close(resolve))
  return free
}
