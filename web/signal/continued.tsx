import { Link } from '@tanstack/react-router'
import { filledSentence, headline } from '../words/signal.ts'
import { standing } from '../words/status.ts'
import { useSignal, useStoryNews } from './story-data.ts'

/** Outcome of the signal that opens the other side after another signal closed the position. */
export function Continued({ id }: { id: string }) {
  const { data } = useSignal(id)
  useStoryNews(id)
  if (!data) return 'Opens the other side after the fill'
  return (
    <Link to="/signals/$id" params={{ id }} className="underline">
      {data.filledQuantity > 0 ? filledSentence(data) : `${headline(data)}: ${standing(data).text}`}
    </Link>
  )
}
