/** Credit required by the chart's licence, as text. */
export const ChartCredit = () => (
  <p className="px-4 pb-3 text-xs text-muted">
    Charts by{' '}
    <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank" className="underline">
      TradingView
    </a>{' '}
    Lightweight Charts™, © 2025 TradingView, Inc.
  </p>
)
