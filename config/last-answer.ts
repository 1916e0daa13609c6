import type { Duplex } from 'node:stream'

/**
 * Answers on a connection that Node's server has let go of, and closes it once the answer is out. To end it is not enough: a side that
 * never closes its own keeps it half open for as long as it likes.
 */
export function answerLast(socket: Duplex, answer: string): void {
  socket.end(answer, () => socket.destroy())
}
