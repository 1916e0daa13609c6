import type { Duplex } from 'node:stream'

/**
 * Answers on a connection that Node's server has released, and closes it after the answer: a client that never closes
 * its side would keep it half open.
 */
export function answerLast(socket: Duplex, answer: string): void {
  socket.end(answer, () => socket.destroy())
}
