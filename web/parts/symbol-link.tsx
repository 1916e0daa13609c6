import { Link } from '@tanstack/react-router'

export const SymbolLink = ({ symbol }: { symbol: string }) => (
  <Link
    to="/symbols/$symbol"
    params={{ symbol }}
    className="-my-0.5 inline-block py-0.5 font-medium underline decoration-line underline-offset-4 hover:decoration-current"
  >
    {symbol}
  </Link>
)
