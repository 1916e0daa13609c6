import { balance, type Address } from './balancer.ts'

/** The balancer as a process: `balance.ts LISTEN SERVER SERVER...`, each as host:port. */
const [at, ...servers] = process.argv.slice(2).map((text): Address => {
  const [host = '', port] = text.split(':')
  return { host, port: Number(port) }
})
if (at === undefined || servers.length === 0)
  throw new Error('usage: balance.ts LISTEN SERVER SERVER..., each as host:port')
await balance(at, servers)
