export function partsOf(name: string): { method: string; path: string } {
  const [method, path] = name.split(' ') as [string, string]
  return { method: method.toLowerCase(), path: path.replaceAll(/:(\w+)/g, '{$1}') }
}

/** `GET /api/v1/orders/:orderId` is `getOrdersByOrderId`. */
export function operationIdOf(name: string): string {
  const { method, path } = partsOf(name)
  const words = path
    .replace('/api/v1', '')
    .replaceAll('{', 'By-')
    .split(/[^A-Za-z]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method + (words.join('') || 'Root')
}
