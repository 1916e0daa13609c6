import { BlockList, isIP } from 'node:net'

/** Proxies whose X-Forwarded-For is believed. */
export type TrustedProxies = BlockList

export function parseTrustedProxies(text: string): TrustedProxies {
  const list = new BlockList()
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue
    const [address = '', bits, ...rest] = part.split('/')
    const family = isIP(address)
    const widest = family === 4 ? 32 : 128
    if (family === 0 || rest.length > 0 || (bits !== undefined && !isPrefixLength(bits, widest)))
      throw new RangeError(`${JSON.stringify(part)} is neither an address nor a network`)
    list.addSubnet(address, bits === undefined ? widest : Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

export function isNetwork(text: string): boolean {
  try {
    parseTrustedProxies(text)
    return text.trim() !== '' && !text.includes(',')
  } catch {
    return false
  }
}

const isPrefixLength = (text: string, widest: number): boolean =>
  /^\d{1,3}$/.test(text) && Number(text) <= widest
