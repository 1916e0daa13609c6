import { useEffect, useState } from 'react'
import { noticeDecidedElsewhere } from './decisions.ts'
import type { useQueue } from './queue.ts'

/**
 * Finds out what became of a signal that the address names, as a notification does, and that is not in the queue: its card
 * then tells. True until that is known; no other card may stand in its place meanwhile, where a press would mean another
 * signal.
 *
 * @param selected the signal that the address names
 * @param isShown its card is there, or was
 */
export function useSought(
  selected: string | undefined,
  isShown: boolean,
  { isSuccess, isFetching, refetch }: ReturnType<typeof useQueue>,
): boolean {
  const [known, setKnown] = useState<string>()
  if (isShown && known !== selected) setKnown(selected)
  const isSought = selected !== undefined && !isShown && known !== selected
  const isMissing = isSought && isSuccess && !isFetching
  useEffect(() => {
    if (!isMissing || selected === undefined) return
    // It may wait although the list, which is older, does not have it.
    void noticeDecidedElsewhere({ id: selected })
      .then(() => refetch())
      .then(() => setKnown(selected))
  }, [isMissing, selected, refetch])
  return isSought
}
