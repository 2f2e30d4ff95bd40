/* What tests ask of a page, run in it: an expression whose value has the answers as functions. */
;(() => ({
  openAll() {
    for (const button of document.querySelectorAll('button.more')) button.click()
    for (const details of document.querySelectorAll('details')) details.open = true
  },
  answers() {
    return [...document.querySelectorAll('article.answer')].map((section) => ({
      id: section.id,
      sql: section.querySelector('.sql code').textContent,
      pictures: section.querySelectorAll('.picture svg').length,
      rows: [...section.querySelectorAll('tbody tr')].map((row) =>
        [...row.cells].map((cell) => {
          if (cell.classList.contains('none')) return { value: null, shown: null }
          const number = cell.querySelector('data')
          const whole = cell.querySelector('bdi.whole') ?? cell
          return number === null
            ? { value: whole.textContent, shown: null }
            : { value: number.value, shown: number.textContent }
        }),
      ),
    }))
  },
  preparation() {
    return document.querySelector('#sql code')?.textContent ?? null
  },
  facts() {
    return Object.fromEntries(
      [...document.querySelectorAll('.facts > div')].map((fact) => [
        fact.querySelector('dt').textContent,
        [...fact.querySelectorAll('dd')].map((each) => each.textContent),
      ]),
    )
  },
  /** What lies beside the window or on top of each other, and pictures without anything in them. */
  flaws() {
    const found = []
    const page = document.documentElement
    if (page.scrollWidth > page.clientWidth)
      found.push(`the page is ${page.scrollWidth} wide in a window of ${page.clientWidth}`)
    const boxes = [...document.querySelectorAll('.answer, .verdict, .facts > div, .stream')]
    for (const box of boxes) {
      const { left, right } = box.getBoundingClientRect()
      if (left < 0 || right > page.clientWidth + 1) found.push(`${box.id || box.className} lies beside the window`)
    }
    for (const box of document.querySelectorAll('.value, .why, .reply, h1, h2, h3, figcaption, .holds, .name'))
      if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== 'inline')
        found.push(`${box.className || box.tagName} is cut: ${box.textContent.slice(0, 60)}`)
    for (const place of document.querySelectorAll('.picture')) {
      const name = `${place.closest('article').id}: ${place.previousElementSibling?.textContent ?? ''}`
      const svg = place.querySelector('svg')
      const marks = svg?.querySelectorAll('[fill^="var(--series"] rect, rect[fill^="var(--series"], circle') ?? []
      const drawn = [...marks].filter((mark) => {
        const { width, height } = mark.getBoundingClientRect()
        return width > 0 && height > 0
      })
      if (drawn.length === 0) found.push(`${name} is an empty frame`)
      const frame = place.getBoundingClientRect()
      const texts = [...(svg?.querySelectorAll('text') ?? [])].map((text) => ({
        text,
        box: text.getBoundingClientRect(),
      }))
      for (const { text, box } of texts)
        if (box.left < frame.left - 14 || box.right > frame.right + 14)
          found.push(`${name}: ${text.textContent} is outside`)
      for (const [index, a] of texts.entries())
        for (const b of texts.slice(index + 1)) {
          const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left)
          const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top)
          if (width > 1 && height > 4) found.push(`${name}: ${a.text.textContent} overlaps ${b.text.textContent}`)
        }
    }
    return found
  },
  /** The first section, streams that are not collapsed, and what a selection of each visible id copies. */
  layout() {
    const ids = [...document.querySelectorAll('.id')].filter((id) => id.checkVisibility()).slice(0, 40)
    return {
      first: document.querySelector('main > section').id,
      openStreams: [...document.querySelectorAll('.stream')]
        .filter((stream) => stream.checkVisibility())
        .map((stream) => stream.className),
      copied: ids.map((id) => {
        getSelection().selectAllChildren(id)
        return getSelection().toString()
      }),
      whole: ids.map((id) => id.title),
    }
  },
  elements() {
    return {
      scripts: [...document.querySelectorAll('script')].map((script) => script.type),
      images: document.querySelectorAll('img, iframe, object, embed, link, video, audio').length,
      bold: document.querySelectorAll('b').length,
      handlers: [...document.querySelectorAll('*')].filter((each) =>
        each.getAttributeNames().some((name) => name.startsWith('on')),
      ).length,
    }
  },
}))()
