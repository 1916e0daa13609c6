/** From TradingView's help page "How to configure webhook alerts"; IPv4 only. */
export const SENDER_ADDRESSES = {
  tradingview: ['52.89.214.238', '34.212.75.30', '54.218.53.128', '52.32.178.7'],
} as const satisfies Record<string, readonly string[]>

export const addressesOf = (listed: string): readonly string[] =>
  Object.hasOwn(SENDER_ADDRESSES, listed)
    ? SENDER_ADDRESSES[listed as keyof typeof SENDER_ADDRESSES]
    : [listed]
