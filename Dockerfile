# An image for single runs, scheduled runs and queries: `docker build --tag chainlake .` in the checkout. Workers have another one with more
# packages: examples/workers/Dockerfile.
FROM node:22-bookworm-slim AS package
WORKDIR /checkout
COPY . .
RUN npm ci --no-audit --no-fund && npm pack --pack-destination /package

FROM node:22-bookworm-slim
WORKDIR /chainlake
COPY --from=package /package/chainlake-*.tgz ./
RUN npm init --yes > /dev/null && npm install --omit=dev --no-audit --no-fund ./chainlake-*.tgz
ENV PATH=/chainlake/node_modules/.bin:$PATH NO_COLOR=1
# Mount a volume here: the lake is written to /lake/output.
RUN mkdir /lake && chown node /lake
USER node
WORKDIR /lake
# Node must be the first process of the container to receive signals: start it without a shell and without npm.
ENTRYPOINT ["chainlake"]
