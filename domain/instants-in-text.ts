/** Not those in quotation marks: they are what a sender wrote. */
const ISO_INSTANT =
  /(?<!["'“‘])\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})/g

export const withInstants = (text: string, inWords: (instant: Date) => string): string =>
  text.replace(ISO_INSTANT, (found) => {
    const instant = new Date(found)
    return Number.isNaN(instant.getTime()) ? found : inWords(instant)
  })
