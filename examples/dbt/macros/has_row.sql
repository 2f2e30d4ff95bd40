{# Rows without a row of another table that has the same values. A row with null in one of the columns belongs to none. #}
{% test has_row(model, columns, of, of_columns=none) %}
SELECT {{ columns | join(', ') }}
FROM {{ model }}
WHERE {% for column in columns %}{{ column }} IS NOT NULL{{ ' AND ' if not loop.last }}{% endfor %}
EXCEPT
SELECT {{ (of_columns or columns) | join(', ') }}
FROM {{ of }}
{% endtest %}
