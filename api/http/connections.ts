import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressBucket, isTrusted, plainAddress } from '../access/client-address.ts'
import type { TrustedProxies } from '#contract/values/networks.ts'

export const MOST_SILENT = 200
/** Connections of all together, well below the descriptors that a process has. */
const MOST_CONNECTIONS = 10_000

const proven = new WeakSet<Socket>()

export const noteProven = (socket: Socket): void => void proven.add(socket)

/** Milliseconds: a burst connects all at once, and its requests are read one after another. */
const SILENT_AFTER = 1_000

/** Closes the longest silent beyond the number; not requests under way, nor connections of our proxies. */
export function boundConnections(server: Server, proxies: TrustedProxies): void {
  server.maxConnections = MOST_CONNECTIONS
  const addresses = new WeakMap<Socket, string>()
  /** By address, since when each is silent; the longest silent first. */
  const silent = new Map<string, Map<Socket, number>>()
  const speaks = (socket: Socket, address: string): void => {
    const same = silent.get(address)
    if (same?.delete(socket) && same.size === 0) silent.delete(address)
  }
  const isSilent = (socket: Socket, address: string): void => {
    if (socket.destroyed || proven.has(socket)) return
    const same = silent.get(address) ?? new Map<Socket, number>()
    silent.set(address, same.set(socket, performance.now()))
    if (same.size === MOST_SILENT + 1) setTimeout(closeLongest, SILENT_AFTER, address).unref()
  }
  const closeLongest = (address: string): void => {
    const same = silent.get(address) ?? new Map<Socket, number>()
    const before = performance.now() - SILENT_AFTER
    for (const [socket, since] of same) {
      if (same.size <= MOST_SILENT) return
      if (since > before) break
      speaks(socket, address)
      socket.destroy()
    }
    if (same.size > MOST_SILENT) setTimeout(closeLongest, SILENT_AFTER, address).unref()
  }
  server.on('connection', (socket) => {
    const peer = plainAddress(socket.remoteAddress ?? '')
    if (isTrusted(peer, proxies)) return
    const address = addressBucket(peer)
    addresses.set(socket, address)
    isSilent(socket, address)
    socket.once('close', () => speaks(socket, address))
  })
  server.on('request', ({ socket }, response) => {
    const address = addresses.get(socket)
    if (address === undefined) return
    speaks(socket, address)
    response.once('close', () => isSilent(socket, address))
  })
}
