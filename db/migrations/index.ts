import { Baseline } from './0001-baseline.ts'
import { StoryOfASignal } from './0100-story-of-a-signal.ts'
import { MoreLiveTopics } from './0101-more-live-topics.ts'

/** In the order in which they are applied; a published one is never edited. */
export const migrations = [
  { name: '0001-baseline', class: Baseline },
  { name: '0100-story-of-a-signal', class: StoryOfASignal },
  { name: '0101-more-live-topics', class: MoreLiveTopics },
]
