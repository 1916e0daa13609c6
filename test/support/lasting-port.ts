import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that Linux (from 32768), macOS and Windows (from 49152) give to outgoing connections. */
const RANGE = { from: 20_000, to: 32_000 }

/**
 * A free port that stays free while its server is down: outside the range that outgoing connections take their
 * own ports from, where a client that keeps trying to reach the dead server would sooner or later sit on it.
 */
export async function findLastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(RANGE.from, RANGE.to)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve, reject) => {
    server.once('listening', () => resolve(true))
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, '127.0.0.1')
  })
  if (free) await new Promise((resolve) => server.close(resolve))
  return free
}
