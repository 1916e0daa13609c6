import { Button } from '../parts/button.tsx'

const PARTS = [
  [0.25, '¼', 'A quarter'],
  [0.5, '½', 'Half'],
  [1, 'All', 'All'],
] as const

interface Props {
  /** Such as "the position". */
  whole: string
  /** Shares of a part; null where it rounds to nothing. */
  sharesOf: (part: number) => string | null
  choose: (shares: string) => void
}

export const PartButtons = ({ whole, sharesOf, choose }: Props) =>
  PARTS.map(([part, label, words]) => {
    const shares = sharesOf(part)
    return (
      <Button
        key={part}
        className="min-w-11 px-2 max-desk:grow"
        disabled={shares === null}
        aria-label={`${words} of ${whole}`}
        onClick={() => choose(shares ?? '')}
      >
        {label}
      </Button>
    )
  })
