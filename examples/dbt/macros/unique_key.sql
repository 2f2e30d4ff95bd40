{# Rows that have a key more than once. A row with null in a column of the key is not compared. #}
{% test unique_key(model, columns) %}
SELECT {{ columns | join(', ') }}, count(*) AS row_count
FROM {{ model }}
WHERE {% for column in columns %}{{ column }} IS NOT NULL{{ ' AND ' if not loop.last }}{% endfor %}
GROUP BY ALL
HAVING count(*) > 1
{% endtest %}
